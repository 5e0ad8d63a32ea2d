"""Decompositions of activations and of their gradients."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._decomp import register_decomposition
from torch._decomp.tools import Tensor, aten, precise

_SQRT_HALF = math.sqrt(0.5)
_TANH_SCALE = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


@register_decomposition(aten.elu.default)
@precise
def elu(self: Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Tensor:
    negative = (self * input_scale).expm1() * (alpha * scale)
    return torch.where(self > 0, self * scale, negative)


@register_decomposition(aten.elu_backward.default)
@precise
def elu_backward(
    grad_output: Tensor, alpha: Any, scale: Any, input_scale: Any, is_result: bool, x: Tensor
) -> Tensor:
    if is_result:
        negative = grad_output * input_scale * (x + alpha * scale)
    else:
        negative = grad_output * (input_scale * alpha * scale) * (x * input_scale).exp()
    return torch.where(x <= 0, negative, grad_output * scale)


@register_decomposition(aten.gelu.default)
@precise
def gelu(self: Tensor, *, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        inner = _TANH_SCALE * (self + _CUBIC * self * self * self)
        return 0.5 * self * (1 + inner.tanh())
    return self * 0.5 * (1 + (self * _SQRT_HALF).erf())


@register_decomposition(aten.gelu_backward.default)
@precise
def gelu_backward(grad_output: Tensor, self: Tensor, *, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        square = self * self
        tanh = (_TANH_SCALE * (self + _CUBIC * square * self)).tanh()
        slope = _TANH_SCALE * (1 + 3 * _CUBIC * square)
        return grad_output * (0.5 * (1 + tanh) + 0.5 * self * (1 - tanh * tanh) * slope)
    density = (-0.5 * self * self).exp() / math.sqrt(2 * math.pi)
    return grad_output * (0.5 * (1 + (self * _SQRT_HALF).erf()) + self * density)


@register_decomposition(aten.silu.default)
@precise
def silu(self: Tensor) -> Tensor:
    return self * self.sigmoid()


@register_decomposition(aten.silu_backward.default)
@precise
def silu_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    sigmoid = self.sigmoid()
    return grad_output * sigmoid * (1 + self * (1 - sigmoid))


@register_decomposition(aten.mish.default)
@precise
def mish(self: Tensor) -> Tensor:
    return self * torch.where(self > 20, self, self.exp().log1p()).tanh()


@register_decomposition(aten.mish_backward.default)
@precise
def mish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    tanh = torch.where(self > 20, self, self.exp().log1p()).tanh()
    return grad_output * (tanh + self * self.sigmoid() * (1 - tanh * tanh))


@register_decomposition(aten.softplus.default)
@precise
def softplus(self: Tensor, beta: Any = 1, threshold: Any = 20) -> Tensor:
    scaled = self * beta
    return torch.where(scaled > threshold, self, scaled.exp().log1p() / beta)


@register_decomposition(aten.softplus_backward.default)
@precise
def softplus_backward(grad_output: Tensor, self: Tensor, beta: Any, threshold: Any) -> Tensor:
    scaled = self * beta
    return torch.where(scaled > threshold, grad_output, grad_output * scaled.sigmoid())


@register_decomposition(aten.hardswish.default)
@precise
def hardswish(self: Tensor) -> Tensor:
    return self * (self + 3).clamp(0, 6) / 6


@register_decomposition(aten.hardswish_backward.default)
@precise
def hardswish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    inner = torch.where(self < 3, grad_output * (self / 3 + 0.5), grad_output)
    return torch.where(self <= -3, torch.zeros_like(grad_output), inner)


@register_decomposition(aten.hardsigmoid.default)
@precise
def hardsigmoid(self: Tensor) -> Tensor:
    return (self + 3).clamp(0, 6) / 6


@register_decomposition(aten.hardsigmoid_backward.default)
@precise
def hardsigmoid_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    inside = (self > -3) & (self < 3)
    return torch.where(inside, grad_output / 6, torch.zeros_like(grad_output))


@register_decomposition(aten.hardtanh.default)
def hardtanh(self: Tensor, min_val: Any = -1, max_val: Any = 1) -> Tensor:
    return self.clamp(min_val, max_val)


@register_decomposition(aten.hardtanh_backward.default)
def hardtanh_backward(grad_output: Tensor, self: Tensor, min_val: Any, max_val: Any) -> Tensor:
    outside = (self <= min_val) | (self >= max_val)
    return torch.where(outside, torch.zeros_like(grad_output), grad_output)


@register_decomposition(aten.hardshrink.default)
def hardshrink(self: Tensor, lambd: Any = 0.5) -> Tensor:
    inside = (self >= -lambd) & (self <= lambd)
    return torch.where(inside, torch.zeros_like(self), self)


@register_decomposition(aten.softshrink.default)
@precise
def softshrink(self: Tensor, lambd: Any = 0.5) -> Tensor:
    shrunk = torch.where(self > lambd, self - lambd, self + lambd)
    # Written so that NaN stays NaN.
    return torch.where((self >= -lambd) & (self <= lambd), self * 0, shrunk)


@register_decomposition(aten.softshrink_backward.default)
def softshrink_backward(grad_output: Tensor, self: Tensor, lambd: Any) -> Tensor:
    inside = (self >= -lambd) & (self <= lambd)
    return torch.where(inside, torch.zeros_like(grad_output), grad_output)


@register_decomposition(aten.leaky_relu.default)
@precise
def leaky_relu(self: Tensor, negative_slope: Any = 0.01) -> Tensor:
    return torch.where(self > 0, self, self * negative_slope)


@register_decomposition(aten.leaky_relu_backward.default)
@precise
def leaky_relu_backward(
    grad_output: Tensor, self: Tensor, negative_slope: Any, self_is_result: bool
) -> Tensor:
    return torch.where(self > 0, grad_output, grad_output * negative_slope)


@register_decomposition(aten.threshold.default)
def threshold(self: Tensor, threshold: Any, value: Any) -> Tensor:
    return torch.where(self <= threshold, torch.full_like(self, value), self)


@register_decomposition(aten.threshold_backward.default)
def threshold_backward(grad_output: Tensor, self: Tensor, threshold: Any) -> Tensor:
    return torch.where(self <= threshold, torch.zeros_like(grad_output), grad_output)


@register_decomposition(aten.log_sigmoid_forward.default)
@precise
def log_sigmoid_forward(self: Tensor) -> tuple[Tensor, Tensor]:
    exponential = (-self.abs()).exp()
    return self.clamp(max=0) - exponential.log1p(), exponential


@register_decomposition(aten.log_sigmoid_backward.default)
@precise
def log_sigmoid_backward(grad_output: Tensor, self: Tensor, buffer: Tensor) -> Tensor:
    exponential = (-self.abs()).exp()
    negative = self < 0
    slope = torch.where(negative, torch.ones_like(self), torch.zeros_like(self))
    sign = torch.where(negative, torch.ones_like(self), -torch.ones_like(self))
    return grad_output * (slope - sign * (exponential / (1 + exponential)))


@register_decomposition(aten.glu.default)
@precise
def glu(self: Tensor, dim: int = -1) -> Tensor:
    first, second = self.chunk(2, dim)
    return first * second.sigmoid()


@register_decomposition(aten.glu_backward.default)
@precise
def glu_backward(grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    first, second = self.chunk(2, dim)
    sigmoid = second.sigmoid()
    inner = sigmoid * grad_output
    return torch.cat([inner, inner * (1 - sigmoid) * first], dim)


@register_decomposition(aten._prelu_kernel.default)
@precise
def prelu_kernel(self: Tensor, weight: Tensor) -> Tensor:
    return torch.where(self > 0, self, self * weight)


@register_decomposition(aten._prelu_kernel_backward.default)
@precise
def prelu_kernel_backward(
    grad_output: Tensor, self: Tensor, weight: Tensor
) -> tuple[Tensor, Tensor]:
    positive = self > 0
    of_weight = torch.where(positive, torch.zeros_like(grad_output), self * grad_output)
    return torch.where(positive, grad_output, weight * grad_output), of_weight


@register_decomposition(aten.sigmoid_backward.default)
@precise
def sigmoid_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    return grad_output * (output * (1 - output)).conj()


@register_decomposition(aten.tanh_backward.default)
@precise
def tanh_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    return grad_output * (1 - output * output).conj()


@register_decomposition(aten.logit.default)
@precise
def logit(self: Tensor, eps: float | None = None) -> Tensor:
    x = self if self.is_floating_point() else self.to(torch.get_default_dtype())
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    return (x / (1 - x)).log()
