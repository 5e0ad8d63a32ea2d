"""Losses of the differences between predictions and targets.

The arguments `size_average` and `reduce` are the deprecated form of `reduction`.
"""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import handle_torch_function, has_torch_function_variadic
from torch.nn.functional import _reduction


def _warn_if_broadcast(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )


def _check_weight(weight: Tensor, input: Tensor) -> None:
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def _weighted_mean_or_reduction(values: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Reduce elementwise losses times weights. The mean divides by the sum of the weights."""
    weighted = values * weight
    if reduction == "mean":
        return weighted.sum() / weight.sum()
    return _reduction.reduce(weighted, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute the mean squared error, (input - target)^2.

    Args:
        input: Predictions of any shape.
        target: Values of the same shape. Other shapes are broadcast, with a warning.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        weight: Weight of each element, of the input's shape. The mean divides by their sum.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown or the weight has another shape.

    Example:
        >>> F.mse_loss(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
        tensor(2.)
    """
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            mse_loss,
            (input, target, weight),
            input,
            target,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
            weight=weight,
        )
    _warn_if_broadcast(input, target)
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    expanded_input, expanded_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.mse_loss(expanded_input, expanded_target, _reduction.code(reduction))
    _check_weight(weight, input)
    return _weighted_mean_or_reduction((expanded_input - expanded_target) ** 2, weight, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute the mean absolute error, abs(input - target).

    Args:
        input: Predictions of any shape.
        target: Values of the same shape. Other shapes are broadcast, with a warning.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        weight: Weight of each element, of the input's shape. The mean divides by their sum.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown or the weight has another shape.

    Example:
        >>> F.l1_loss(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
        tensor(1.)
    """
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            l1_loss,
            (input, target, weight),
            input,
            target,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
            weight=weight,
        )
    _warn_if_broadcast(input, target)
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    expanded_input, expanded_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.l1_loss(expanded_input, expanded_target, _reduction.code(reduction))
    _check_weight(weight, input)
    return _weighted_mean_or_reduction((expanded_input - expanded_target).abs(), weight, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Compute a loss that is quadratic for small errors and linear for large ones.

    With d = abs(input - target), it is d^2 / (2 beta) where d < beta, and d - beta / 2 elsewhere.

    Args:
        input: Predictions of any shape.
        target: Values of the same shape. Other shapes are broadcast, with a warning.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        beta: Error at which the loss becomes linear.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> F.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none")
        tensor([0.1250, 2.5000])
    """
    if has_torch_function_variadic(input, target):
        return handle_torch_function(
            smooth_l1_loss,
            (input, target),
            input,
            target,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
            beta=beta,
        )
    _warn_if_broadcast(input, target)
    code = _reduction.code(_reduction.resolve_legacy(reduction, size_average, reduce))
    input, target = torch.broadcast_tensors(input, target)
    if beta == 0.0:
        return _nn.l1_loss(input, target, code)
    return _nn.smooth_l1_loss(input, target, code, beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Compute a loss that is quadratic for small errors and linear for large ones.

    With d = abs(input - target), it is d^2 / 2 where d < delta, and delta (d - delta / 2)
    elsewhere. See Huber (1964).

    Args:
        input: Predictions of any shape.
        target: Values of the same shape. Other shapes are broadcast, with a warning.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.
        delta: Error at which the loss becomes linear.
        weight: Weight of each element, of the input's shape. The mean divides by their number.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown or the weight has another shape.

    Example:
        >>> F.huber_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none", delta=2.0)
        tensor([0.1250, 4.0000])
    """
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            huber_loss,
            (input, target, weight),
            input,
            target,
            reduction=reduction,
            delta=delta,
            weight=weight,
        )
    _warn_if_broadcast(input, target)
    expanded_input, expanded_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.huber_loss(expanded_input, expanded_target, _reduction.code(reduction), delta)
    _check_weight(weight, input)
    return _reduction.reduce(
        _nn.huber_loss(expanded_input, expanded_target, 0, delta) * weight, reduction
    )
