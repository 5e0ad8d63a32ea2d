"""Losses that are negative log-likelihoods or divergences of distributions.

See _regression_loss for their common arguments.
"""

from __future__ import annotations

import math
import warnings

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import handle_torch_function, has_torch_function_variadic
from torch.nn.functional import _reduction


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the negative log likelihood of classes.

    Args:
        input: Log-probabilities, (N, C, ...) or (C).
        target: Class indices, (N, ...) or a scalar.
        weight: Weight of each class, (C). The mean divides by the sum of the targets' weights.
        size_average: Deprecated. Use `reduction`.
        ignore_index: Class index that does not count.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the target's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> log_probabilities = torch.tensor([[0.5, 0.5], [0.75, 0.25]]).log()
        >>> F.nll_loss(log_probabilities, torch.tensor([0, 1]), reduction="none")
        tensor([0.6931, 1.3863])
    """
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            nll_loss,
            (input, target, weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            ignore_index=ignore_index,
            reduce=reduce,
            reduction=reduction,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    code = _reduction.code(reduction)
    if input.dim() == 1 and target.dim() == 1 and target.numel() != 1:
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {target.numel()}"
        )
    return _nn.nll_loss_nd(input, target, weight, code, ignore_index)


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
    """Compute the cross entropy of logits relative to classes or class probabilities.

    Args:
        input: Logits, (N, C, ...) or (C).
        target: Class indices, (N, ...) or a scalar, or probabilities of the input's shape.
        weight: Weight of each class, (C).
        size_average: Deprecated. Use `reduction`.
        ignore_index: Class index that does not count.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        label_smoothing: Fraction of the target, between 0 and 1, that is spread over all classes.

    Returns:
        The loss: a scalar, or a tensor of shape (N, ...) with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> logits = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
        >>> F.cross_entropy(logits, torch.tensor([0, 1]), reduction="none")
        tensor([0.1269, 0.6931])
    """
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            cross_entropy,
            (input, target, weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            ignore_index=ignore_index,
            reduce=reduce,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
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
    """Compute -(t log(p) + (1 - t) log(1 - p)) of probabilities p and targets t.

    Args:
        input: Probabilities of any shape.
        target: Values between 0 and 1, of the same shape.
        weight: Weight of each element, broadcast to the target's shape.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the shapes differ or the reduction is unknown.

    Example:
        >>> F.binary_cross_entropy(torch.tensor([0.5, 0.9]), torch.tensor([1.0, 1.0]))
        tensor(0.3993)
    """
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            binary_cross_entropy,
            (input, target, weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
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
    """Compute the binary cross entropy of sigmoid(input), without overflow.

    Args:
        input: Logits of any shape.
        target: Values between 0 and 1, of the same shape.
        weight: Weight of each element, broadcast to the target's shape.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        pos_weight: Weight of the positive part of the target, broadcast to its shape.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the shapes differ or the reduction is unknown.

    Example:
        >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 1.0]))
        tensor(0.4100)
    """
    if has_torch_function_variadic(input, target, weight, pos_weight):
        return handle_torch_function(
            binary_cross_entropy_with_logits,
            (input, target, weight, pos_weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
            pos_weight=pos_weight,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
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
    """Compute the Kullback-Leibler divergence, target * (log(target) - input).

    Args:
        input: Log-probabilities of any shape.
        target: Probabilities of the same shape.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none``, ``batchmean`` (the sum divided by the batch size, which is the
            divergence), ``sum``, or ``mean`` (the mean over all elements).
        log_target: If True, the target holds log-probabilities.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> input = torch.tensor([[0.5, 0.5]]).log()
        >>> F.kl_div(input, torch.tensor([[0.25, 0.75]]), reduction="batchmean")
        tensor(0.1308)
    """
    if has_torch_function_variadic(input, target):
        return handle_torch_function(
            kl_div,
            (input, target),
            input,
            target,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
            log_target=log_target,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
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
    """Compute the negative log likelihood of counts under a Poisson distribution.

    It is exp(input) - target * input, or input - target * log(input + eps) if `log_input` is
    False.

    Args:
        input: Logarithms of the rates, or the rates, of any shape.
        target: Counts of the same shape.
        log_input: Whether the input holds logarithms.
        full: If True, add Stirling's approximation of the constant term where the target exceeds 1.
        size_average: Deprecated. Use `reduction`.
        eps: Term added to the rates before taking their logarithm.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> F.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), reduction="none")
        tensor([1.0000, 0.7183])
    """
    if has_torch_function_variadic(input, target):
        return handle_torch_function(
            poisson_nll_loss,
            (input, target),
            input,
            target,
            log_input=log_input,
            full=full,
            size_average=size_average,
            eps=eps,
            reduce=reduce,
            reduction=reduction,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    code = _reduction.code(reduction)
    return torch.poisson_nll_loss(input, target, log_input, full, eps, code)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Compute the negative log likelihood of values under a normal distribution.

    It is (log(var) + (input - target)^2 / var) / 2.

    Args:
        input: Means of any shape.
        target: Values of the same shape, or one that broadcasts to it.
        var: Variances: a number, or a tensor of the input's shape, whose last dimension may be
            1 or missing.
        full: If True, add the constant log(2 pi) / 2.
        eps: Smallest variance; lower ones are raised to it.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If a variance is negative, or a shape or the reduction is wrong.

    Example:
        >>> F.gaussian_nll_loss(torch.zeros(2), torch.tensor([0.0, 2.0]), var=1.0, reduction="none")
        tensor([0., 2.])
    """
    if has_torch_function_variadic(input, target, var):
        return handle_torch_function(
            gaussian_nll_loss,
            (input, target, var),
            input,
            target,
            var,
            full=full,
            eps=eps,
            reduction=reduction,
        )
    if not isinstance(var, Tensor):
        var = var * torch.ones_like(input)
    if torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        differing = [n for n, m in zip(var.size(), input.size(), strict=False) if n != m]
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif var.dim() != input.dim() or differing != [1]:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    clamped = var.clone()
    with torch.no_grad():
        clamped.clamp_(min=eps)
    values = 0.5 * (torch.log(clamped) + (input - target) ** 2 / clamped)
    if full:
        values = values + 0.5 * math.log(2 * math.pi)
    return _reduction.reduce(values, reduction)
