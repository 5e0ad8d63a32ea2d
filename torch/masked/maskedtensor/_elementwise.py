"""Unary and binary operators of masked tensors: functions of the data that keep the mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.masked.maskedtensor._layouts import on_values, same_indices, same_masks
from torch.masked.maskedtensor.core import data_of, each_part, is_masked_tensor, make, mask_of

Tensor = torch.Tensor
Rule = Callable[..., Any]

UNARY = (
    "abs", "absolute", "acos", "acosh", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctanh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "clamp", "clip",
    "conj_physical", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc", "erfinv", "exp", "exp2",
    "expm1", "fix", "floor", "frac", "i0", "isnan", "lgamma", "log", "log10", "log1p", "log2",
    "logit", "nan_to_num", "neg", "negative", "positive", "pow", "rad2deg", "reciprocal", "round",
    "rsqrt", "sgn", "sigmoid", "sign", "signbit", "sin", "sinc", "sinh", "sqrt", "square", "tan",
    "tanh", "trunc",
)  # fmt: skip
BINARY = (
    "add", "arctan2", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "div", "divide", "eq", "floor_divide", "fmax", "fmin",
    "fmod", "ge", "greater", "greater_equal", "gt", "le", "less", "less_equal", "logaddexp",
    "logaddexp2", "lt", "maximum", "minimum", "mul", "multiply", "ne", "nextafter", "not_equal",
    "remainder", "sub", "subtract", "true_divide",
)  # fmt: skip
_WITHOUT_IN_PLACE = frozenset(
    [
        "angle",
        "positive",
        "signbit",
        "isnan",
        "logaddexp",
        "logaddexp2",
        "fmin",
        "minimum",
        "maximum",
        "fmax",
    ]
)


def rules() -> dict[str, Rule]:
    """Return the rules of all unary and binary operators, by their names."""
    found: dict[str, Rule] = {}
    for names, rule_of in ((UNARY, _unary), (BINARY, _binary)):
        for name in names:
            found[name] = rule_of(name, in_place=False)
            if name not in _WITHOUT_IN_PLACE:
                found[f"{name}_"] = rule_of(f"{name}_", in_place=True)
    return found


def _unary(name: str, *, in_place: bool) -> Rule:
    def rule(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError(
                "MaskedTensor unary ops require that len(kwargs) == 0. "
                "If you need support for this, please open an issue on Github."
            )
        if any(isinstance(a, Tensor) for a in args[1:]):
            raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
        first, *rest = each_part(data_of, args)
        operation = getattr(torch.ops.aten, name)
        data = on_values(first, lambda values: operation(values, *rest))
        return _finish(args[0], data, mask_of(args[0]), in_place)

    return rule


def _binary(name: str, *, in_place: bool) -> Rule:
    def rule(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError("len(kwargs) must equal 0")
        if any(isinstance(a, Tensor) for a in args[2:]):
            raise TypeError(
                "MaskedTensor binary ops do not support Tensor arguments aside from the lhs and rhs"
            )
        mask = _common_mask(*args[:2])
        left, right, *rest = each_part(data_of, args)
        data = _of_pair(getattr(torch.ops.aten, name), left, right, rest)
        if not in_place and data.layout == torch.strided:
            mask = mask.expand_as(data)
        return _finish(args[0], data, mask, in_place)

    return rule


def _finish(first: Any, data: Tensor, mask: Tensor, in_place: bool) -> Any:
    if not in_place:
        return make(data, mask)
    if not is_masked_tensor(first):
        raise TypeError("a masked tensor cannot replace the elements of a plain one")
    first._hold(data, mask)
    return first


def _common_mask(a: Any, b: Any) -> Tensor:
    both = is_masked_tensor(a) and is_masked_tensor(b)
    if both and not same_masks(mask_of(a), mask_of(b)):
        raise ValueError(
            "Input masks must match. If you need support for this, please open an issue on Github."
        )
    return mask_of(a if is_masked_tensor(a) else b)  # type: ignore[no-any-return]


def _of_pair(operation: Any, a: Any, b: Any, rest: list[Any]) -> Tensor:
    layout = getattr(a, "layout", torch.strided)
    if layout == torch.strided:
        return operation(a, b, *rest)  # type: ignore[no-any-return]
    if isinstance(b, Tensor) and b.layout == layout:
        if layout == torch.sparse_coo and a.size() != b.size():
            raise ValueError("input1 and input2 must have the same size for binary functions.")
        if not same_indices(a, b):
            name = "sparse_coo" if layout == torch.sparse_coo else "sparse_csr"
            raise ValueError(
                f"{name} indices must match. If you need support for this, please open an issue "
                "on Github."
            )
        b = b.values()
    return on_values(a, lambda values: operation(values, b, *rest))
