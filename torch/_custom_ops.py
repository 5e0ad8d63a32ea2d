"""The older names of torch.library's functions."""

from __future__ import annotations

from typing import Any

from torch import library as _library
from torch.library import get_ctx

__all__ = [
    "custom_op",
    "get_ctx",
    "impl",
    "impl_abstract",
    "impl_backward",
    "impl_save_for_backward",
]


def custom_op(qualname: str, func_or_schema: Any = None) -> Any:
    """Declare an operator by its schema, or by the annotations of a function."""

    def declare(function: Any) -> Any:
        text = _library.infer_schema(function, mutates_args=())
        _library.define(qualname, text)
        return function

    if isinstance(func_or_schema, str):
        _library.define(qualname, func_or_schema)
        return None
    return declare if func_or_schema is None else declare(func_or_schema)


def impl(qualname: str, *, device_types: Any = ("cpu", "cuda"), func: Any = None) -> Any:
    """Register a kernel of an operator for some device types."""
    return _library.impl(qualname, device_types, func)


def impl_abstract(qualname: str, *, func: Any = None) -> Any:
    """Register what an operator does to tensors without data."""
    return _library.register_fake(qualname, func)


def impl_save_for_backward(qualname: str, *, func: Any = None) -> Any:
    """Refuse: the replacement is torch.library.register_autograd.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError("use torch.library.register_autograd(..., setup_context=...)")


def impl_backward(qualname: str, output_differentiability: Any = None, *, func: Any = None) -> Any:
    """Refuse: the replacement is torch.library.register_autograd.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError("use torch.library.register_autograd")
