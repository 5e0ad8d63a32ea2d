"""Losses. `size_average` and `reduce` are the old names of `reduction`."""

from __future__ import annotations

import math
import warnings

import torch
from torch import Tensor
from torch._C import _nn
from torch.nn.functional import _reduction


def _reduced(values: Tensor, reduction: str) -> Tensor:
    """The values, their mean or their sum."""
    code = _reduction.code(reduction)
    if code == 0:
        return values
    return values.mean() if code == 1 else values.sum()


def _warn_if_broadcast(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )


def _weighted(
    values: Tensor, weight: Tensor, input: Tensor, target: Tensor, reduction: str
) -> Tensor:
    """Elementwise losses times weights; the mean is over the weights' sum."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    weighted = values * weight
    if reduction == "mean":
        return weighted.sum() / weight.sum()
    return _reduced(weighted, reduction)


def _pointwise(
    operator: object,
    input: Tensor,
    target: Tensor,
    reduction: str,
    weight: Tensor | None,
    *parameters: float,
) -> Tensor:
    """A loss of pairs of values that broadcast together."""
    _warn_if_broadcast(input, target)
    expanded_input, expanded_target = torch.broadcast_tensors(input, target)
    if weight is None:
        code = _reduction.code(reduction)
        return operator(expanded_input, expanded_target, code, *parameters)
    _reduction.code(reduction)
    values = operator(expanded_input, expanded_target, 0, *parameters)
    return _weighted(values, weight, input, target, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)^2."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    return _pointwise(_nn.mse_loss, input, target, reduction, weight)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    return _pointwise(_nn.l1_loss, input, target, reduction, weight)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    if beta == 0.0:
        return _pointwise(_nn.l1_loss, input, target, reduction, None)
    operator = _nn.smooth_l1_loss
    return _pointwise(operator, input, target, reduction, None, beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """d^2 / 2 where d = |input - target| < delta, else delta (d - delta / 2)."""
    return _pointwise(_nn.huber_loss, input, target, reduction, weight, delta)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Negative log likelihood of class numbers; input (N, C, ...) holds log-probabilities."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    return _nn.nll_loss_nd(input, target, weight, _reduction.code(reduction), ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of logits (N, C, ...) against class numbers or class probabilities."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    return _nn.cross_entropy_loss(
        input, target, weight, _reduction.code(reduction), ignore_index, label_smoothing
    )


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(t log p + (1 - t) log(1 - p)) of probabilities."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    code = _reduction.code(reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(target.size(), weight.size()))
    return _nn.binary_cross_entropy(input, target, weight, code)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Binary cross entropy of sigmoid(input), without overflow."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    code = _reduction.code(reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target (log target - input); `batchmean` divides by the batch, as the mathematics does."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    by_batch = reduction == "batchmean"
    code = _reduction.code("sum" if by_batch else reduction)
    total = torch.kl_div(input, target, code, log_target=log_target)
    return total / input.size()[0] if by_batch and input.dim() != 0 else total


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) - target input, or input - target log(input); `full` adds Stirling's term."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    values = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        values = values + stirling.masked_fill(target <= 1, 0)
    return _reduced(values, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """(log var + (input - target)^2 / var) / 2; `full` adds the constant."""
    if not isinstance(var, Tensor):
        var = var * torch.ones_like(input)
    if torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif not (input.size()[:-1] == var.size()[:-1] and var.size(-1) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    held = var.clone()
    with torch.no_grad():
        held.clamp_(min=eps)
    values = 0.5 * (torch.log(held) + (input - target) ** 2 / held)
    if full:
        values = values + 0.5 * math.log(2 * math.pi)
    return _reduced(values, reduction)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target input)), target -1 or 1."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    return _reduced(torch.log1p(torch.exp(-target * input)), reduction)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    zeros = torch.zeros_like(input)
    apart = torch.where(target == 1, zeros, (margin - input).clamp_min(0))
    together = torch.where(target == -1, zeros, input)
    return _reduced(apart + together, reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target (input1 - input2) + margin)."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    epsilon = 1e-12
    dots = (input1 * input2).sum(-1)
    squares = ((input1 * input1).sum(-1) + epsilon) * ((input2 * input2).sum(-1) + epsilon)
    cosine = dots / squares.sqrt()
    zeros = torch.zeros_like(cosine)
    together = torch.where(target == 1, 1 - cosine, zeros)
    apart = torch.where(target == -1, (cosine - margin).clamp_min(0), zeros)
    return _reduced(together + apart, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    reduction = _reduction.legacy(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((margin + near - far).clamp_min(0), reduction)
