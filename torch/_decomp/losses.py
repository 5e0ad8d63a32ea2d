"""Decompositions of losses and of their gradients."""

from __future__ import annotations

import torch
from torch._decomp import register_decomposition
from torch._decomp.tools import Tensor, aten, mean_scale, precise, reduced


@register_decomposition(aten.mse_loss.default)
@precise
def mse_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    difference = self - target
    return reduced(difference * difference, reduction)


@register_decomposition(aten.mse_loss_backward.default)
@precise
def mse_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    return 2 * mean_scale(self, reduction) * (self - target) * grad_output


@register_decomposition(aten.huber_loss.default)
@precise
def huber_loss(self: Tensor, target: Tensor, reduction: int = 1, delta: float = 1.0) -> Tensor:
    distance = (self - target).abs()
    near = 0.5 * distance * distance
    return reduced(torch.where(distance < delta, near, delta * (distance - 0.5 * delta)), reduction)


@register_decomposition(aten.huber_loss_backward.default)
@precise
def huber_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float
) -> Tensor:
    slope = (self - target).clamp(-delta, delta)
    return mean_scale(self, reduction) * slope * grad_output


@register_decomposition(aten.smooth_l1_loss.default)
@precise
def smooth_l1_loss(self: Tensor, target: Tensor, reduction: int = 1, beta: float = 1.0) -> Tensor:
    distance = (self - target).abs()
    if beta == 0:
        return reduced(distance, reduction)
    near = 0.5 * distance * distance / beta
    return reduced(torch.where(distance < beta, near, distance - 0.5 * beta), reduction)


@register_decomposition(aten.smooth_l1_loss_backward.default)
@precise
def smooth_l1_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float
) -> Tensor:
    difference = self - target
    slope = difference.sign() if beta == 0 else (difference / beta).clamp(-1, 1)
    return mean_scale(self, reduction) * slope * grad_output


@register_decomposition(aten.soft_margin_loss.default)
@precise
def soft_margin_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    return reduced((-self * target).exp().log1p(), reduction)


@register_decomposition(aten.soft_margin_loss_backward.default)
@precise
def soft_margin_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int
) -> Tensor:
    slope = (self * target).neg().sigmoid()
    return -mean_scale(self, reduction) * target * slope * grad_output


@register_decomposition(aten.binary_cross_entropy.default)
@precise
def binary_cross_entropy(
    self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1
) -> Tensor:
    # The logarithms are bounded from below, as in the kernel.
    loss = (target - 1) * (-self).log1p().clamp(min=-100) - target * self.log().clamp(min=-100)
    return reduced(loss if weight is None else loss * weight, reduction)


@register_decomposition(aten.binary_cross_entropy_backward.default)
@precise
def binary_cross_entropy_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    slope = (self - target) / (self * (1 - self)).clamp(min=1e-12)
    scaled = grad_output * slope * mean_scale(self, reduction)
    return scaled if weight is None else scaled * weight


@register_decomposition(aten.binary_cross_entropy_with_logits.default)
@precise
def binary_cross_entropy_with_logits(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    log_sigmoid = self.clamp(max=0) - (-self.abs()).exp().log1p()
    factor = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    loss = (1 - target) * self - factor * log_sigmoid
    return reduced(loss if weight is None else loss * weight, reduction)


def _classes(tensor: Tensor) -> int:
    return 0 if tensor.dim() < 2 else 1


def _shaped(weight: Tensor, tensor: Tensor) -> Tensor:
    """Give the weights of classes the rank of the scores."""
    shape = [1] * tensor.dim()
    shape[_classes(tensor)] = weight.shape[0]
    return weight.reshape(shape)


@register_decomposition([aten.nll_loss_forward.default, aten.nll_loss2d_forward.default])
@precise
def nll_loss_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    channel = _classes(self)
    kept = target != ignore_index
    index = torch.where(kept, target, 0).unsqueeze(channel)
    scores = self if weight is None else self * _shaped(weight, self)
    loss = -scores.gather(channel, index).squeeze(channel)
    loss = torch.where(kept, loss, 0)
    if reduction == 0 and self.dim() > 1:
        return loss, self.new_zeros(())
    if weight is None:
        total = kept.sum().to(self.dtype)
    else:
        each = _shaped(weight, self).expand(self.shape).gather(channel, index).squeeze(channel)
        total = torch.where(kept, each, 0).sum()
    if reduction == 0:
        return loss, total
    return loss.sum() if reduction == 2 else loss.sum() / total, total


@register_decomposition([aten.nll_loss_backward.default, aten.nll_loss2d_backward.default])
@precise
def nll_loss_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Tensor:
    channel = _classes(self)
    gradient = grad_output / total_weight if reduction == 1 else grad_output
    kept = (target != ignore_index).unsqueeze(channel)
    index = torch.where(kept, target.unsqueeze(channel), 0)
    if gradient.dim() and gradient.dim() < self.dim():
        gradient = gradient.unsqueeze(channel)
    each = torch.where(kept, -gradient, 0).expand(index.shape).to(self.dtype)
    result = torch.zeros_like(self).scatter(channel, index, each)
    return result if weight is None else result * _shaped(weight, self)
