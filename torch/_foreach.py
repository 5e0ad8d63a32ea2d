"""torch._foreach_*: an operator on each tensor of a list, with the second operand a number, a list, or a tensor.

The functions loop; this build has no kernels over lists of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import torch
from torch import Tensor

Tensors = Sequence[Tensor]
_UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2
neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()  # noqa: SIM905
_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "maximum": "maximum",
    "minimum": "minimum",
    "clamp_max": "minimum",
    "clamp_min": "maximum",
    "pow": "pow",
}
_POINTWISE = ("addcdiv", "addcmul")


def _checked(name: str, tensors: Any, *others: Any) -> None:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"_foreach_{name}(): argument 'self' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in others:
        if isinstance(other, (list, tuple)) and len(other) != len(tensors):
            raise RuntimeError(
                "Tensor lists must have the same number of tensors, got "
                f"{len(tensors)} and {len(other)}"
            )


def _spread(other: Any, count: int) -> Sequence[Any]:
    """Return the operand for each tensor of a list."""
    return other if isinstance(other, (list, tuple)) else [other] * count


def _operand(function: str, tensor: Tensor, other: Any, **options: Any) -> Tensor:
    if function in ("maximum", "minimum") and not isinstance(other, Tensor):
        bound = {"min": other} if function == "maximum" else {"max": other}
        return torch.clamp(tensor, **bound)
    return getattr(torch, function)(tensor, other, **options)  # type: ignore[no-any-return]


def _unary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function, method = getattr(torch, name), getattr(Tensor, f"{name}_", None)

    def returning(self: Tensors) -> tuple[Tensor, ...]:
        _checked(name, self)
        return tuple([function(tensor) for tensor in self])

    def in_place(self: Tensors) -> None:
        _checked(f"{name}_", self)
        for tensor in self:
            if method is None:
                tensor.copy_(function(tensor))
            else:
                method(tensor)

    return returning, in_place


def _binary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function = _BINARY[name]
    method = getattr(Tensor, f"{function}_", None)

    def returning(self: Tensors, other: Any, **options: Any) -> tuple[Tensor, ...]:
        if name == "pow" and isinstance(self, (Number, Tensor)):  # a number to the power of tensors
            return tuple([torch.pow(self, exponent) for exponent in other])
        _checked(name, self, other)
        pairs = zip(self, _spread(other, len(self)), strict=True)
        return tuple([_operand(function, tensor, value, **options) for tensor, value in pairs])

    def in_place(self: Tensors, other: Any, **options: Any) -> None:
        _checked(f"{name}_", self, other)
        for tensor, value in zip(self, _spread(other, len(self)), strict=True):
            if method is None:
                tensor.copy_(_operand(function, tensor, value, **options))
            else:
                method(tensor, value, **options)

    return returning, in_place


def _pointwise(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function, method = getattr(torch, name), getattr(Tensor, f"{name}_")

    def factors(count: int, given: tuple[Any, ...], value: Any) -> Sequence[Any]:
        chosen = given[0] if given else value
        if isinstance(chosen, Tensor):
            chosen = chosen.tolist()
        return _spread(chosen, count)

    def returning(
        self: Tensors, tensor1: Tensors, tensor2: Tensors, *scalars: Any, value: Any = 1
    ) -> tuple[Tensor, ...]:
        _checked(name, self, tensor1, tensor2)
        rows = zip(self, tensor1, tensor2, factors(len(self), scalars, value), strict=True)
        return tuple([function(t, a, b, value=factor) for t, a, b, factor in rows])

    def in_place(
        self: Tensors, tensor1: Tensors, tensor2: Tensors, *scalars: Any, value: Any = 1
    ) -> None:
        _checked(f"{name}_", self, tensor1, tensor2)
        rows = zip(self, tensor1, tensor2, factors(len(self), scalars, value), strict=True)
        for t, a, b, factor in rows:
            method(t, a, b, value=factor)

    return returning, in_place


def _foreach_lerp(self: Tensors, tensors1: Tensors, weight: Any) -> tuple[Tensor, ...]:
    """Interpolate between the tensors of two lists."""
    _checked("lerp", self, tensors1, weight)
    rows = zip(self, tensors1, _spread(weight, len(self)), strict=True)
    return tuple([torch.lerp(start, end, factor) for start, end, factor in rows])


def _foreach_lerp_(self: Tensors, tensors1: Tensors, weight: Any) -> None:
    """Interpolate between the tensors of two lists, into the first."""
    _checked("lerp_", self, tensors1, weight)
    for start, end, factor in zip(self, tensors1, _spread(weight, len(self)), strict=True):
        start.lerp_(end, factor)


def _foreach_copy_(self: Tensors, src: Tensors, non_blocking: bool = False) -> None:
    """Copy the tensors of a list into those of another."""
    _checked("copy_", self, src)
    for tensor, source in zip(self, src, strict=True):
        tensor.copy_(source, non_blocking)


def _foreach_zero_(self: Tensors) -> None:
    """Set all elements of each tensor to zero."""
    _checked("zero_", self)
    for tensor in self:
        tensor.zero_()


def _foreach_clone(self: Tensors) -> tuple[Tensor, ...]:
    """Return a copy of each tensor."""
    _checked("clone", self)
    return tuple([tensor.clone() for tensor in self])


def _foreach_norm(self: Tensors, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """Return the norm of each tensor's elements."""
    _checked("norm", self)
    return tuple([torch.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in self])


def _foreach_powsum(self: Tensors, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """Return the sum of powers of each tensor's absolute elements."""
    _checked("powsum", self)
    return tuple([tensor.abs().pow(ord).sum(dtype=dtype) for tensor in self])


def _foreach_max(self: Tensors) -> tuple[Tensor, ...]:
    """Return the largest element of each tensor."""
    _checked("max", self)
    return tuple([tensor.max() for tensor in self])


def _foreach_mm(self: Tensors, mat2: Tensors) -> tuple[Tensor, ...]:
    """Return the matrix products of the tensors of two lists."""
    _checked("mm", self, mat2)
    return tuple([torch.mm(a, b) for a, b in zip(self, mat2, strict=True)])


def _make(name: str) -> tuple[Callable[..., Any], Callable[..., Any]] | None:
    if name in _UNARY:
        return _unary(name)
    if name in _BINARY:
        return _binary(name)
    return _pointwise(name) if name in _POINTWISE else None


def __getattr__(name: str) -> Any:
    stem = name.removeprefix("_foreach_")
    made = _make(stem.removesuffix("_")) if stem != name else None
    if made is None:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")
    function = made[stem.endswith("_")]
    function.__name__ = function.__qualname__ = name
    what = "in place" if stem.endswith("_") else "and return the results"
    function.__doc__ = f"Apply {stem.removesuffix('_')} to each tensor of a list {what}."
    globals()[name] = function
    return function


NAMES = (
    *(f"_foreach_{name}{end}" for name in (*_UNARY, *_BINARY, *_POINTWISE) for end in ("", "_")),
    *(name for name in list(globals()) if name.startswith("_foreach_")),
)
"""Every name that torch has from here."""
