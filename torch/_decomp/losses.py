"""Decompositions of losses of classes and of their gradients."""

from __future__ import annotations

import torch
from torch._decomp._tables import register_decomposition
from torch._decomp.tools import Tensor, aten, precise


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
