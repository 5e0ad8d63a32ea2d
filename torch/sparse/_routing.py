"""Which rule a call with sparse tensors takes; their class gets its calls from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch._torch_function import implementing_name
from torch.sparse import _compressed_functions, _functions
from torch.sparse._base import SparseBase
from torch.sparse._compressed import CompressedTensor
from torch.sparse._invariants import scalar_name
from torch.sparse._layouts import layout_name
from torch.sparse._unsupported import could_not_run

# The functions of torch.sparse by the names of their operators; they find the rules themselves.
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def _any_compressed(types: Any) -> bool:
    return any(issubclass(each, CompressedTensor) for each in types)


def call_function(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the sparse form of a public function or method if there is one, or else the function."""
    rules = _compressed_functions.BY_NAME if _any_compressed(types) else _functions.BY_NAME
    name = getattr(func, "__name__", "")
    if name == "__get__":  # func reads a property, such as T
        found = rules.get(func.__self__.__name__)
    elif name == "__set__":
        found = SparseBase._become if func.__self__.__name__ == "data" else None
    else:
        found = FUNCTIONS.get(name) or rules.get(implementing_name(func))
    if found is not None:
        return _call(found, args, kwargs)
    with _C.DisableTorchFunctionSubclass():
        return func(*args, **kwargs)


def _call(rule: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a rule, and write its result to the argument `out` if there is one.

    Raises:
        RuntimeError: If the result and `out` have different layouts.
    """
    out = kwargs.get("out")
    result = rule(*args, **{name: value for name, value in kwargs.items() if name != "out"})
    if out is None:
        return result
    if isinstance(out, SparseBase) or isinstance(result, SparseBase):
        return _written(out, result)
    return out.resize_(result.shape).copy_(result)


def _written(out: Any, result: Any) -> Any:
    if out.layout is not result.layout:
        raise RuntimeError(
            f"a result of layout {layout_name(result)} cannot be written to the argument out, "
            f"whose layout is {layout_name(out)}"
        )
    if not torch.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {scalar_name(result.dtype)} can't be cast to the desired output type "
            f"{scalar_name(out.dtype)}"
        )
    return out._become(result.to(out.dtype))


def call_operator(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the sparse form of an operator.

    Raises:
        NotImplementedError: If it has none.
    """
    name = func.name().partition("::")[2].partition(".")[0]
    compressed = _any_compressed(types)
    rules = _compressed_functions.OPERATORS if compressed else _functions.OPERATORS
    found = rules.get(name)
    if found is None:
        raise could_not_run(func.name().partition(".")[0], types)
    return _call(found, args, kwargs)


SparseBase._call_function = staticmethod(call_function)
SparseBase._call_operator = staticmethod(call_operator)
