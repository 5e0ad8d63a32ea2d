"""Operations that are the same for all sparse layouts: functions of the values, and copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.sparse._base import SparseBase, tracked, values_of
from torch.sparse._invariants import scalar_name
from torch.sparse._layouts import layout_name
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor

# Functions that are zero at zero, so that those of a sparse tensor are those of its values.
ZERO_PRESERVING = (
    "abs", "absolute", "arcsin", "arcsinh", "arctan", "arctanh", "asin", "asinh", "atan", "atanh",
    "ceil", "conj_physical", "deg2rad", "erf", "erfinv", "expm1", "fix", "floor", "frac", "isinf",
    "isnan", "isneginf", "isposinf", "log1p", "neg", "negative", "positive", "rad2deg", "relu",
    "round", "sgn", "sign", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
# Those that may be taken of values at equal indices before these are added up.
_LINEAR = frozenset(("neg", "negative", "positive", "deg2rad", "rad2deg"))


def unary(name: str) -> Callable[..., Any]:
    """Return the sparse form of a function of torch that is zero at zero."""

    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = a.coalesce() if a.is_sparse and name not in _LINEAR else a
        return tracked(tensor, getattr(torch, name)(values_of(tensor), *args, **kwargs))

    return call


def in_place(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return the form of an operation that replaces its first argument's indices and values."""

    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        result = operation(a, *args, **kwargs)
        if not torch.can_cast(result.dtype, a.dtype):
            raise RuntimeError(
                f"result type {scalar_name(result.dtype)} can't be cast to the desired output "
                f"type {scalar_name(a.dtype)}"
            )
        if not isinstance(a, SparseBase):
            return a.copy_(result.to_dense())
        return a._adopt(result if result.dtype == a.dtype else result.to(a.dtype))

    return call


def unary_in_place(name: str) -> Callable[..., Any]:
    """Return the in-place form of a function that is zero at zero."""
    operation = in_place(unary(name))

    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        if name in ("abs", "absolute") and a.is_complex():
            raise RuntimeError(f"In-place {name} is not supported for complex tensors.")
        if a.is_sparse and not a._coalesced and name not in _LINEAR:
            raise RuntimeError(f"{name}_ requires coalesced input")
        return operation(a, *args, **kwargs)

    return call


def relu(a: Any, inplace: bool = False) -> Any:
    """Replace negative elements by zero, as torch.relu and torch.nn.functional.relu do."""
    return unary_in_place("relu")(a) if inplace else unary("relu")(a)


def power(a: Any, exponent: Any) -> Any:
    """Raise the elements to a power that is not zero."""
    if isinstance(exponent, Tensor) or not isinstance(a, SparseBase):
        raise could_not_run("aten::pow", [a])
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor "
            "dense"
        )
    return unary("pow")(a, exponent)


def floor_divide(a: Any, b: Any) -> Any:
    """Divide a sparse tensor by a scalar, and round down."""
    if isinstance(b, SparseBase):
        raise RuntimeError("Sparse floor division requires a scalar divisor")
    return div(a, b, rounding_mode="floor")


def number(a: Any) -> Any:
    """Return the only element."""
    return a.to_dense().item()


def is_scalar(value: Any) -> bool:
    """Return whether a factor is a number, or a dense tensor without dimensions."""
    return not isinstance(value, Tensor) or (not isinstance(value, SparseBase) and value.dim() == 0)


def scaled(a: Any, factor: Any) -> Any:
    """Multiply a sparse tensor by a scalar."""
    return tracked(a, values_of(a) * factor)


def div(a: Any, b: Any, *, rounding_mode: Any = None) -> Any:
    """Divide a sparse tensor by a scalar."""
    if not isinstance(a, SparseBase) or not is_scalar(b):
        shape = list(b.shape) if isinstance(b, Tensor) else []
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor "
            f"(got shape {shape} for divisor)"
        )
    exact = rounding_mode is None or not a.is_sparse
    tensor = a if exact else a.coalesce()
    return tracked(tensor, torch.div(values_of(tensor), b, rounding_mode=rounding_mode))


# ---- copies -------------------------------------------------------------------------------------


def detach(a: Any) -> Any:
    """Return a tensor with the same indices and values, outside of any graph."""
    return a._with_values(a._raw_values)


def clone(a: Any, *, memory_format: Any = None) -> Any:
    """Copy indices and values."""
    return a._mapped(lambda indices: indices.clone(), lambda values: values.clone())


def to_copy(a: Any, *, dtype: Any = None, device: Any = None, **options: Any) -> Any:
    """Copy to another dtype or device; a tensor on the meta device has no elements."""
    if device is not None and torch.device(device).type == "meta":
        a = a._emptied()
    return a._mapped(
        lambda indices: indices.to(device=device),
        lambda values: values.to(dtype=dtype, device=device),
    )


def zeros_like(
    a: Any, *, dtype: Any = None, device: Any = None, layout: Any = None, **options: Any
) -> Any:
    """Return a tensor without elements."""
    if options.get("memory_format") is not None:
        raise RuntimeError("memory format option is only supported by strided tensors")
    if layout not in (None, a.layout):
        if layout is not torch.strided or not a.is_sparse:
            raise RuntimeError(
                "empty_like with different sparse layout is not supported (self is "
                f"{layout_name(a)} but you requested {layout_name(layout)})"
            )
        return torch.zeros(a.shape, dtype=dtype or a.dtype, device=device or a.device)
    return to_copy(a._emptied(), dtype=dtype, device=device)


def zero_in_place(a: Any) -> Any:
    """Remove all elements."""
    return a._adopt(a._emptied())


def is_same_size(a: Any, b: Any) -> bool:
    """Return whether two tensors have the same size."""
    return tuple(a.shape) == tuple(b.shape)


COPIES: dict[str, Callable[..., Any]] = {
    "detach": detach,
    "alias": detach,
    "detach_": lambda a: a,  # autograd has removed its history
    "clone": clone,
    "_to_copy": to_copy,
    "zeros_like": zeros_like,
    "zero_": zero_in_place,
    "is_same_size": is_same_size,
    "_local_scalar_dense": number,
}
