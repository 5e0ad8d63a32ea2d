"""torch.FloatTensor and similar types: names for a dtype on the CPU, older than torch.dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.storage import TypedStorage


class tensortype(type):
    """The metaclass of legacy types. They have no instances: calls return a torch.Tensor."""

    dtype: torch.dtype
    layout: torch.layout

    def __new__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> tensortype:
        """Create a type; there are no subclasses of one."""
        for base in bases:
            raise TypeError(
                f"type '{base.__module__}.{base.__qualname__}' is not an acceptable base type"
            )
        return super().__new__(cls, name, bases, attributes)

    def _check_available(cls) -> None:
        """Raise TypeError if the build cannot create such tensors."""

    def __call__(cls, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Create a tensor from data, or from sizes (uninitialised), as torch.Tensor() does."""
        if cls.layout is torch.sparse_coo:
            return _sparse(cls.dtype, *args, **kwargs)
        if len(args) == 1 and isinstance(args[0], TypedStorage):
            args = (args[0].untyped(),)
        return _C._legacy_tensor(cls.dtype, args, kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.Tensor)
            and instance.is_cpu
            and instance.dtype is cls.dtype
            and instance.layout is cls.layout
        )


tensortype.__module__ = "torch"


def _sparse(dtype: torch.dtype, *args: Any, device: Any = None) -> torch.Tensor:
    """Create a sparse tensor from indices, values and perhaps a size, or an empty one of a size."""
    if args and isinstance(args[0], torch.Tensor):
        return torch.sparse_coo_tensor(
            *args, device=device
        )  # the values keep their dtype, as there
    size = args[0] if args and not isinstance(args[0], int) else args or (0,)
    indices = torch.zeros(len(size), 0, dtype=torch.int64, device=device)
    values = torch.zeros(0, dtype=dtype, device=device)
    return torch.sparse_coo_tensor(indices, values, tuple(size))


def _named(name: str, dtype: torch.dtype, layout: torch.layout = torch.strided) -> tensortype:
    sparse = layout is torch.sparse_coo
    attributes = {
        "__doc__": f"A legacy type: creates tensors of {dtype}, which are its instances.",
        "__module__": "torch.sparse" if sparse else "torch",
        "dtype": dtype,
        "layout": layout,
        "is_cuda": False,
        "is_sparse": sparse,
    }
    return tensortype(name, (), attributes)


FloatTensor = _named("FloatTensor", torch.float32)
DoubleTensor = _named("DoubleTensor", torch.float64)
HalfTensor = _named("HalfTensor", torch.float16)
BFloat16Tensor = _named("BFloat16Tensor", torch.bfloat16)
ByteTensor = _named("ByteTensor", torch.uint8)
CharTensor = _named("CharTensor", torch.int8)
ShortTensor = _named("ShortTensor", torch.int16)
IntTensor = _named("IntTensor", torch.int32)
LongTensor = _named("LongTensor", torch.int64)
BoolTensor = _named("BoolTensor", torch.bool)

SPARSE = {
    name: _named(name, globals()[name].dtype, torch.sparse_coo)
    for name in (
        "BFloat16Tensor",
        "ByteTensor",
        "CharTensor",
        "DoubleTensor",
        "FloatTensor",
        "HalfTensor",
        "IntTensor",
        "LongTensor",
        "ShortTensor",
    )
}
"""The types in torch.sparse."""


def set_default_tensor_type(t: tensortype | str, /) -> None:
    """Set the default dtype by a legacy type; prefer `torch.set_default_dtype`.

    Args:
        t: A type such as torch.DoubleTensor, or its name.

    Raises:
        TypeError: If `t` is not a legacy floating type.

    Example:
        >>> torch.set_default_tensor_type("torch.DoubleTensor")
        >>> torch.tensor(0.5).dtype
        torch.float64
    """
    if isinstance(t, str):
        t = globals().get(t.removeprefix("torch."), t)
    if isinstance(t, tensortype):
        t._check_available()
    else:
        raise TypeError(
            "invalid type object: only floating-point types are supported as the default type"
        )
    torch.set_default_dtype(t.dtype)
