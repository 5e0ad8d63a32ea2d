"""Forward derivatives that are written out, by operator name.

A formula takes the operator, its primal arguments `p`, their tangents `t` and its keyword
arguments; it returns the result and the result's tangent, or NotImplemented to have them derived
from the backward formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch._transforms.matrix_formulas import MATRIX_FORMULAS
from torch._transforms.norm_formulas import NORM_FORMULAS

Tensor = torch.Tensor
Formula = Callable[[Any, list[Any], list[Any], dict[str, Any]], tuple[Any, Any]]


def _unary(derivative: Callable[[Any, Any, Any], Any]) -> Formula:
    """Make the formula of a function of one tensor from `derivative(x, result, tangent)`."""

    def formula(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
        out = func(*p, **k)
        return out, derivative(p[0], out, t[0])

    return formula


def _fitted(tangent: Any, out: Tensor) -> Any:
    """Return the tangent with the result's shape and dtype, in separate memory."""
    if tangent is None:
        return None
    if tangent.dtype != out.dtype:
        tangent = tangent.to(out.dtype)
    return tangent.expand(out.shape).clone() if tangent.shape != out.shape else tangent


def _sum(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return first + second


def _added(sign: int, swapped: bool = False) -> Formula:
    def formula(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
        out = func(*p, **k)
        alpha = k.get("alpha", p[2] if len(p) > 2 else 1)
        first, second = (t[1], t[0]) if swapped else (t[0], t[1])
        if second is not None:
            second = second * (sign * alpha)
        if first is not None and second is None:
            first = first.clone()
        return out, _fitted(_sum(first, second), out)

    return formula


def _mul(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    terms = [p[1 - i] * t[i] if t[i] is not None else None for i in (0, 1)]
    return out, _fitted(_sum(*terms), out)


def _div(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    numerator = t[0]
    if t[1] is not None:
        numerator = _sum(numerator, -(t[1] * out))
    return out, _fitted(numerator / p[1], out)


def _where(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    zero = out.new_zeros(())
    first, second = (zero if each is None else each for each in t[1:])
    return out, _fitted(torch.where(p[0], first, second), out)


def _masked_fill(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    kept = None if t[0] is None else t[0].masked_fill(p[1], 0)
    filled = None if t[2] is None else torch.where(p[1], t[2], out.new_zeros(()))
    return out, _fitted(_sum(kept, filled), out)


def _pow(x: Any, exponent: Any, tangent: Any) -> Any:
    return tangent * (exponent * x ** (exponent - 1)) if exponent else torch.zeros_like(tangent)


def _power(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    return func(*p, **k), _pow(p[0], p[1], t[0])


def _addmm(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    product = {"addmm": torch.mm, "addmv": torch.mv, "baddbmm": torch.bmm}[func.name()[6:]]
    out = func(*p, **k)
    terms = [
        None if t[1] is None else product(t[1], p[2]),
        None if t[2] is None else product(p[1], t[2]),
    ]
    term = _sum(*terms)
    if term is not None:
        term = term * k.get("alpha", 1)
    return out, _fitted(_sum(None if t[0] is None else t[0] * k.get("beta", 1), term), out)


def _convolution(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    terms = [
        None if t[0] is None else func(t[0], p[1], None, *p[3:], **k),
        None if t[1] is None else func(p[0], t[1], None, *p[3:], **k),
    ]
    bias = None if t[2] is None else t[2].reshape(-1, *[1] * (p[1].dim() - 2))
    return out, _fitted(_sum(_sum(*terms), bias), out)


def _softmax(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    scaled = out * t[0]
    return out, scaled - out * scaled.sum(p[1], True)


def _log_softmax(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    return out, t[0] - (out.exp() * t[0]).sum(p[1], True)


def _logsumexp(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    out = func(*p, **k)
    keep = p[2] if len(p) > 2 else k.get("keepdim", False)
    if out.is_complex():  # large real parts would leave few digits of the imaginary ones
        largest = p[0].real.amax(p[1], True)
        shares = torch.exp(p[0] - largest.masked_fill(largest.isinf(), 0))
        return out, (shares * t[0]).sum(p[1], keep) / shares.sum(p[1], keep)
    shifted = out if keep or not p[0].dim() else func(p[0], p[1], True)
    return out, (torch.exp(p[0] - shifted) * t[0]).sum(p[1], keep)


def _constant_pad(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    return func(*p, **k), func(t[0], p[1])


def _nansum(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    return func(*p, **k), func(t[0].masked_fill(p[0].isnan(), 0), *p[1:], **k)


def _logcumsumexp(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Sum tangents as logarithms, those of each sign for themselves, so that nothing overflows."""
    out = func(*p, **k)
    dim = p[1] if len(p) > 1 else k["dim"]
    if out.is_complex():
        return out, torch.cumsum(torch.exp(p[0]) * t[0], dim) * torch.exp(-out)
    shares = [
        torch.exp(torch.logcumsumexp(part.clamp(min=0).log() + p[0], dim) - out)
        for part in (t[0], -t[0])
    ]
    return out, shares[0] - shares[1]


def _picked(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Take the tangents at the places that max, sort and the like return."""
    values, indices = func(*p, **k)
    along = _dimension_of(func, p, k)
    if not p[0].dim():
        return (values, indices), [t[0].clone(), None]
    same = indices.dim() == p[0].dim()
    places = indices if same else indices.unsqueeze(along)
    tangent = t[0].gather(along, places)
    return (values, indices), [tangent if same else tangent.squeeze(along), None]


def _dimension_of(func: Any, p: list[Any], k: dict[str, Any]) -> int:
    for i, argument in enumerate(func._schema.arguments):
        if argument.name == "dim":
            found = k.get("dim", p[i] if i < len(p) else argument.default_value)
            return -1 if found is None else int(found)
    return -1


def _attention(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Differentiate softmax(scale * q k' + mask) v, of which the fused operator keeps no weights."""
    query, key, value = p[:3]
    scale = k.get("scale") or 1 / math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1) * scale
    mask = k.get("attn_mask")
    if mask is not None:
        scores = scores + mask
    if len(p) > 4 and p[4]:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    weights = torch.softmax(scores, -1)
    terms = [
        None if t[0] is None else t[0] @ key.transpose(-2, -1),
        None if t[1] is None else query @ t[1].transpose(-2, -1),
    ]
    moved = _sum(*terms)
    tangent = None if t[2] is None else weights @ t[2]
    if moved is not None:
        moved = weights * (moved * scale)
        tangent = _sum((moved - weights * moved.sum(-1, True)) @ value, tangent)
    return func(*p, **k), [tangent, None]


_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def _where_positive(x: Any, r: Any, t: Any) -> Any:
    del r
    return t.masked_fill(x <= 0, 0)


def _polar(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Differentiate abs exp(i angle), also where the backward formula takes another direction."""
    out = func(*p, **k)
    along = None if t[0] is None else torch.polar(torch.ones_like(p[1]), p[1]) * t[0]
    across = None if t[1] is None else out * 1j * t[1]
    return out, _fitted(_sum(along, across), out)


FORMULAS: dict[str, Formula] = {
    "exp": _unary(lambda x, r, t: t * r),
    "exp2": _unary(lambda x, r, t: t * r * math.log(2)),
    "expm1": _unary(lambda x, r, t: t * (r + 1)),
    "log": _unary(lambda x, r, t: t / x),
    "log2": _unary(lambda x, r, t: t / (x * math.log(2))),
    "log10": _unary(lambda x, r, t: t / (x * math.log(10))),
    "log1p": _unary(lambda x, r, t: t / (x + 1)),
    "sin": _unary(lambda x, r, t: t * x.cos()),
    "cos": _unary(lambda x, r, t: -(t * x.sin())),
    "tan": _unary(lambda x, r, t: t * (1 + r * r)),
    "sinh": _unary(lambda x, r, t: t * x.cosh()),
    "cosh": _unary(lambda x, r, t: t * x.sinh()),
    "tanh": _unary(lambda x, r, t: t * (1 - r * r)),
    "sigmoid": _unary(lambda x, r, t: t * (r * (1 - r))),
    "sqrt": _unary(lambda x, r, t: t / (2 * r)),
    "rsqrt": _unary(lambda x, r, t: t * (-0.5) * r / x),
    "reciprocal": _unary(lambda x, r, t: -(t * (r * r))),
    "erf": _unary(lambda x, r, t: t * (torch.exp(-x * x) * _TWO_OVER_ROOT_PI)),
    "relu": _unary(_where_positive),
    "add.Tensor": _added(1),
    "add.Scalar": _added(1),
    "sub.Tensor": _added(-1),
    "sub.Scalar": _added(-1),
    "rsub.Tensor": _added(-1, swapped=True),
    "rsub.Scalar": _added(-1, swapped=True),
    "mul.Tensor": _mul,
    "mul.Scalar": _mul,
    "div.Tensor": _div,
    "div.Scalar": _div,
    "polar": _polar,
    "pow.Tensor_Scalar": _power,
    "where.self": _where,
    "masked_fill": _masked_fill,
    "addmm": _addmm,
    "addmv": _addmm,
    "baddbmm": _addmm,
    "convolution": _convolution,
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "max.dim": _picked,
    "min.dim": _picked,
    "logcumsumexp": _logcumsumexp,
    "constant_pad_nd": _constant_pad,
    "nansum": _nansum,
    "cummax": _picked,
    "cummin": _picked,
    "sort": _picked,
    "topk": _picked,
    "kthvalue": _picked,
    "median.dim": _picked,
    "mode": _picked,
    **MATRIX_FORMULAS,
    **NORM_FORMULAS,
}
