"""Decompositions of other element-wise operators."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._decomp._tables import register_decomposition
from torch._decomp.tools import Tensor, aten, precise


@register_decomposition(aten.addcmul.default)
@precise
def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    return self + value * tensor1 * tensor2


@register_decomposition(aten.addcdiv.default)
@precise
def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    if not (tensor1.is_floating_point() or tensor1.is_complex()) and not (
        tensor2.is_floating_point() or tensor2.is_complex()
    ):
        raise RuntimeError("Integer division with addcdiv is not supported")
    return self + value * (tensor1 / tensor2)


@register_decomposition([aten.lerp.Scalar, aten.lerp.Tensor])
@precise
def lerp(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    # From the nearer end, so that a weight of 1 gives `end` exactly.
    from_end = end - (end - self) * (1 - weight)
    from_start = self + weight * (end - self)
    if isinstance(weight, Tensor):
        return torch.where(weight.abs() < 0.5, from_start, from_end)
    return from_start if abs(weight) < 0.5 else from_end


@register_decomposition([aten.xlogy.Tensor, aten.xlogy.Scalar_Self, aten.xlogy.Scalar_Other])
@precise
def xlogy(self: Any, other: Any) -> Tensor:
    x = self if isinstance(self, Tensor) else torch.as_tensor(self)
    y = other if isinstance(other, Tensor) else torch.as_tensor(other)
    product = self * y.log()
    zero = torch.zeros((), dtype=product.dtype)
    return torch.where(y.isnan(), y.to(product.dtype), torch.where(x == 0, zero, product))


@register_decomposition(aten.sinc.default)
@precise
def sinc(self: Tensor) -> Tensor:
    scaled = self * math.pi
    return torch.where(self == 0, torch.ones((), dtype=scaled.dtype), scaled.sin() / scaled)


@register_decomposition(aten.logaddexp.default)
@precise
def logaddexp(self: Tensor, other: Tensor) -> Tensor:
    largest = torch.maximum(self, other)
    same = self.isinf() & (self == other)
    return torch.where(same, self, largest + (-(self - other).abs()).exp().log1p())


@register_decomposition(aten.logaddexp2.default)
@precise
def logaddexp2(self: Tensor, other: Tensor) -> Tensor:
    largest = torch.maximum(self, other)
    same = self.isinf() & (self == other)
    return torch.where(same, self, largest + (1 + (-(self - other).abs()).exp2()).log2())


@register_decomposition(aten.nan_to_num.default)
def nan_to_num(
    self: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    if not (self.is_floating_point() or self.is_complex()):
        return self.clone()
    if self.is_complex():
        parts = [nan_to_num(part, nan, posinf, neginf) for part in (self.real, self.imag)]
        return torch.complex(*parts)
    limits = torch.finfo(self.dtype)
    largest = limits.max if posinf is None else posinf
    lowest = limits.min if neginf is None else neginf
    result = torch.where(self.isnan(), torch.full_like(self, nan or 0.0), self)
    result = torch.where(self == math.inf, torch.full_like(self, largest), result)
    return torch.where(self == -math.inf, torch.full_like(self, lowest), result)


@register_decomposition([aten.rsub.Tensor, aten.rsub.Scalar])
def rsub(self: Tensor, other: Any, alpha: Any = 1) -> Tensor:
    return (
        torch.sub(other, self, alpha=alpha) if isinstance(other, Tensor) else other - alpha * self
    )


@register_decomposition([aten.masked_fill.Scalar, aten.masked_fill.Tensor])
def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    filled = value if isinstance(value, Tensor) else torch.as_tensor(value)
    return torch.where(mask, filled.to(self.dtype), self)


@register_decomposition(aten.deg2rad.default)
@precise
def deg2rad(self: Tensor) -> Tensor:
    return self * (math.pi / 180)


@register_decomposition(aten.rad2deg.default)
@precise
def rad2deg(self: Tensor) -> Tensor:
    return self * (180 / math.pi)


@register_decomposition([aten.clamp_min.default, aten.clamp_min.Tensor])
def clamp_min(self: Tensor, min: Any) -> Tensor:
    return torch.clamp(self, min=min)


@register_decomposition([aten.clamp_max.default, aten.clamp_max.Tensor])
def clamp_max(self: Tensor, max: Any) -> Tensor:
    return torch.clamp(self, max=max)


@register_decomposition(aten.copysign.Tensor)
@precise
def copysign(self: Tensor, other: Tensor) -> Tensor:
    x = self if self.is_floating_point() else self.to(torch.get_default_dtype())
    magnitude = x.abs()
    negative = other.signbit()
    return torch.where(negative, -magnitude, magnitude)


@register_decomposition(aten.hypot.default)
@precise
def hypot(self: Tensor, other: Tensor) -> Tensor:
    largest, least = torch.maximum(self.abs(), other.abs()), torch.minimum(self.abs(), other.abs())
    ratio = torch.where(largest == 0, torch.zeros_like(largest), least / largest)
    infinite = self.isinf() | other.isinf()
    result = largest * (1 + ratio * ratio).sqrt()
    return torch.where(infinite, torch.full_like(result, math.inf), result)


@register_decomposition(aten.fill.Scalar)
def fill(self: Tensor, value: Any) -> Tensor:
    return torch.full_like(self, value)


@register_decomposition(aten.fill.Tensor)
def fill_tensor(self: Tensor, value: Tensor) -> Tensor:
    return value.to(self.dtype).expand(self.shape).clone()


@register_decomposition(aten.logit.default)
@precise
def logit(self: Tensor, eps: float | None = None) -> Tensor:
    x = self if self.is_floating_point() else self.to(torch.get_default_dtype())
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    return (x / (1 - x)).log()
