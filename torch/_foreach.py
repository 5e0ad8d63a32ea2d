"""torch._foreach_*: an operator on each tensor of a list, with the second operand a number, a list, or a tensor.

The functions loop; this build has no kernels over lists of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._outputs import check_cast
from torch._signatures import check_arguments

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

_NUMBERS = "Tensor[] self, Scalar scalar", "Tensor[] self, Scalar[] scalars"
_OTHERS = "Tensor[] self, Tensor[] other"
_ALPHA = ", *, Scalar alpha=1"
_THREE = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2"
_LERP = "Tensor[] self, Tensor[] tensors1"
_SIGNATURES = {
    **dict.fromkeys((*_UNARY, "zero", "clone", "max"), ("Tensor[] self",)),
    **dict.fromkeys(_BINARY, (*_NUMBERS, _OTHERS)),
    "add": (*_NUMBERS, f"Tensor[] self, Tensor other{_ALPHA}", f"{_OTHERS}{_ALPHA}"),
    "sub": (*_NUMBERS, f"{_OTHERS}{_ALPHA}"),
    **dict.fromkeys(("mul", "div"), (*_NUMBERS, "Tensor[] self, Tensor other", _OTHERS)),
    "pow": tuple(f"Tensor[] self, {kind} exponent" for kind in ("Scalar", "Scalar[]", "Tensor[]")),
    **dict.fromkeys(
        _POINTWISE,
        (f"{_THREE}, Scalar[] scalars", f"{_THREE}, Tensor scalars", f"{_THREE}, Scalar value=1"),
    ),
    "lerp": (
        f"{_LERP}, Scalar weight", f"{_LERP}, Scalar[] weight", f"{_LERP}, Tensor[] weights",
    ),
    "copy": ("Tensor[] self, Tensor[] src, bool non_blocking=False",),
    **dict.fromkeys(("norm", "powsum"), ("Tensor[] self, Scalar ord=2, ScalarType? dtype=None",)),
    "mm": ("Tensor[] self, Tensor[] mat2",),
}  # fmt: skip


def _spread(other: Any, tensors: Tensors) -> Sequence[Any]:
    """Return the operand for each tensor of a list.

    Raises:
        RuntimeError: If there are more or fewer of them, or if a tensor is not one number.
    """
    if isinstance(other, Tensor):
        if other.dim():
            raise RuntimeError(
                f"scalar tensor expected to be 0 dim but it has {other.dim()} dimensions and "
                f"{other.numel()} elements."
            )
    elif isinstance(other, (list, tuple)):
        if len(other) == len(tensors):
            return other
        if other and isinstance(other[0], Tensor):
            raise RuntimeError(
                "Tensor lists must have the same number of tensors, got "
                f"{len(tensors)} and {len(other)}"
            )
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    return [other] * len(tensors)


def _rows(tensors: Tensors, *others: Any) -> Any:
    """Return what belongs to each tensor of a list."""
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return zip(tensors, *(_spread(other, tensors) for other in others), strict=True)


def _operand(function: str, tensor: Tensor, other: Any, **options: Any) -> Tensor:
    if function in ("maximum", "minimum") and not isinstance(other, Tensor):
        bound = {"min": other} if function == "maximum" else {"max": other}
        return torch.clamp(tensor, **bound)
    return getattr(torch, function)(tensor, other, **options)  # type: ignore[no-any-return]


def _replace(function: str, tensor: Tensor, other: Any) -> None:
    """Store the larger or the smaller elements in a tensor."""
    if isinstance(other, Tensor):
        found = getattr(torch, function)(tensor, other)
        check_cast(found, tensor)
        tensor.copy_(found)
    else:
        tensor.clamp_(**{"min" if function == "maximum" else "max": other})


def _unary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function, method = getattr(torch, name), getattr(Tensor, f"{name}_", None)

    def returning(self: Tensors) -> tuple[Tensor, ...]:
        return tuple([function(tensor) for (tensor,) in _rows(self)])

    def in_place(self: Tensors) -> Tensors:
        for (tensor,) in _rows(self):
            if method is None:
                tensor.copy_(function(tensor))
            else:
                method(tensor)
        return self

    return returning, in_place


def _binary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function = _BINARY[name]
    method = getattr(Tensor, f"{function}_", None)

    def given(args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if args:
            return args[0]
        names = ("other", "scalar", "scalars", "exponent")
        return next(options.pop(each) for each in names if each in options)

    def returning(self: Any, *args: Any, **options: Any) -> tuple[Tensor, ...]:
        other = given(args, options)
        if not isinstance(self, (list, tuple)):  # a number to the power of tensors
            return tuple([torch.pow(self, exponent) for (exponent,) in _rows(other)])
        pairs = _rows(self, other)
        return tuple([_operand(function, tensor, value, **options) for tensor, value in pairs])

    def in_place(self: Tensors, *args: Any, **options: Any) -> Tensors:
        for tensor, value in _rows(self, given(args, options)):
            if method is None:
                _replace(function, tensor, value)
            else:
                method(tensor, value, **options)
        return self

    return returning, in_place


def _unpacked(factors: Any, tensors: Tensors) -> Any:
    """Return the numbers of a tensor that has one for each tensor of a list."""
    if not isinstance(factors, Tensor):
        return factors
    if factors.dim() != 1:
        raise RuntimeError(
            f"Expected packed scalar Tensor to be of dimension 1. Got {factors.dim()} instead."
        )
    if not factors.is_contiguous():
        raise RuntimeError("Expected scalars to be contiguous.")
    if factors.numel() != len(tensors):
        raise RuntimeError(
            f"Expected length of scalars to match input of length {len(tensors)} but got "
            f"{factors.numel()} instead."
        )
    return factors.tolist()


def _pointwise(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    function, method = getattr(torch, name), getattr(Tensor, f"{name}_")

    def rows(self: Tensors, tensor1: Tensors, tensor2: Tensors, given: Any, named: Any) -> Any:
        if "value" in named:
            factors = named["value"]
        else:
            factors = _unpacked(given[0] if given else named.get("scalars", 1), self)
        return _rows(self, tensor1, tensor2, factors)

    def returning(
        self: Tensors, tensor1: Tensors, tensor2: Tensors, *given: Any, **named: Any
    ) -> tuple[Tensor, ...]:
        found = rows(self, tensor1, tensor2, given, named)
        return tuple([function(t, a, b, value=factor) for t, a, b, factor in found])

    def in_place(
        self: Tensors, tensor1: Tensors, tensor2: Tensors, *given: Any, **named: Any
    ) -> Tensors:
        for t, a, b, factor in rows(self, tensor1, tensor2, given, named):
            method(t, a, b, value=factor)
        return self

    return returning, in_place


def _foreach_lerp(
    self: Tensors, tensors1: Tensors, weight: Any = None, weights: Any = None
) -> tuple[Tensor, ...]:
    """Interpolate between the tensors of two lists."""
    rows = _rows(self, tensors1, weight if weights is None else weights)
    return tuple([torch.lerp(start, end, factor) for start, end, factor in rows])


def _foreach_lerp_(
    self: Tensors, tensors1: Tensors, weight: Any = None, weights: Any = None
) -> Tensors:
    """Interpolate between the tensors of two lists, into the first."""
    for start, end, factor in _rows(self, tensors1, weight if weights is None else weights):
        start.lerp_(end, factor)
    return self


def _foreach_copy_(self: Tensors, src: Tensors, non_blocking: bool = False) -> Tensors:
    """Copy the tensors of a list into those of another."""
    for tensor, source in _rows(self, src):
        tensor.copy_(source, non_blocking)
    return self


def _foreach_zero_(self: Tensors) -> Tensors:
    """Set all elements of each tensor to zero."""
    for (tensor,) in _rows(self):
        tensor.zero_()
    return self


def _foreach_clone(self: Tensors) -> tuple[Tensor, ...]:
    """Return a copy of each tensor."""
    return tuple([tensor.clone() for (tensor,) in _rows(self)])


def _foreach_norm(self: Tensors, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """Return the norm of each tensor's elements."""
    if ord == float("inf") and any(tensor.numel() == 0 for tensor in self):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the "
            "operation does not have an identity"
        )
    return tuple([torch.linalg.vector_norm(tensor, ord, dtype=dtype) for (tensor,) in _rows(self)])


def _foreach_powsum(self: Tensors, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """Return the sum of powers of each tensor's absolute elements."""
    return tuple([tensor.abs().pow(ord).sum(dtype=dtype) for (tensor,) in _rows(self)])


def _foreach_max(self: Tensors) -> tuple[Tensor, ...]:
    """Return the largest element of each tensor."""
    if any(tensor.numel() == 0 for tensor in self):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements "
            "is undefined."
        )
    return tuple([tensor.max() for (tensor,) in _rows(self)])


def _foreach_mm(self: Tensors, mat2: Tensors) -> tuple[Tensor, ...]:
    """Return the matrix products of the tensors of two lists."""
    return tuple([torch.mm(a, b) for a, b in _rows(self, mat2)])


def _made(name: str) -> Callable[..., Any] | None:
    stem = name.removesuffix("_")
    if stem in _UNARY:
        pair = _unary(stem)
    elif stem in _BINARY:
        pair = _binary(stem)
    elif stem in _POINTWISE:
        pair = _pointwise(stem)
    else:
        return None
    function = pair[name != stem]
    function.__name__ = function.__qualname__ = f"_foreach_{name}"
    what = "and return the results" if name == stem else "in place"
    function.__doc__ = f"Apply {stem} to each tensor of a list {what}."
    return function


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    stem = name.removesuffix("_")
    signatures = _SIGNATURES[stem]
    if name == "pow":
        signatures = (*signatures, "Scalar self, Tensor[] exponent")
    return check_arguments(function, f"_foreach_{name}", signatures, "torch")


for _name in [name for name in globals() if name.startswith("_foreach_")]:
    globals()[_name] = _checked(_name.removeprefix("_foreach_"), globals()[_name])


def __getattr__(name: str) -> Any:
    stem = name.removeprefix("_foreach_")
    function = _made(stem) if stem != name else None
    if function is None:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")
    return globals().setdefault(name, _checked(stem, function))


NAMES = (
    *(f"_foreach_{name}{end}" for name in (*_UNARY, *_BINARY, *_POINTWISE) for end in ("", "_")),
    *(name for name in list(globals()) if name.startswith("_foreach_")),
)
"""Every name that torch has from here."""
