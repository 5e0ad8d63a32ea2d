"""Losses for sequences and of margins between classes; loaded at first use."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch._C import _nn
from torch.nn.functional import _reduction
from torch.nn.functional._margin_loss import pairwise_distance
from torch.nn.functional._overridable import overridable


@overridable
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | list[int],
    target_lengths: Tensor | list[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute the loss of label sequences over all their alignments with the inputs.

    Args:
        log_probs: Log probabilities of the classes, (T, N, C) or (T, C); see log_softmax.
        targets: Labels, (N, S), or all sequences in one row.
        input_lengths: Number of steps of each item of the batch.
        target_lengths: Number of labels of each item of the batch.
        blank: Class that stands for no label.
        reduction: ``none``, ``mean`` (over labels, then over the batch) or ``sum``.
        zero_infinity: If True, sequences too long for their inputs lose nothing instead of infinity.

    Returns:
        The negative log likelihood: a scalar, or one per item with ``reduction="none"``.

    Example:
        >>> log_probs = torch.full((3, 1, 2), 0.5).log()
        >>> F.ctc_loss(log_probs, torch.tensor([[1]]), [3], [1])
        tensor(0.2877)
    """
    return torch.ctc_loss(
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank,
        _reduction.code(reduction),
        zero_infinity,
    )


@overridable
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the hinge loss of one class against all others.

    Args:
        input: Scores, (N, C) or (C).
        target: Classes, (N) or ().
        p: Power of the hinge, 1 or 2.
        margin: Difference of the scores to reach.
        weight: A weight for each class, (C).
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per item, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or one per item with ``reduction="none"``.

    Raises:
        ValueError: If `p` or the reduction is unknown, or the weight has more than one dimension.

    Example:
        >>> F.multi_margin_loss(torch.tensor([[0.0, 0.5, 2.0]]), torch.tensor([2]))
        tensor(0.)
    """
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    return _nn.multi_margin_loss(input, target, p, margin, weight, _reduction.code(reduction))


@overridable
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the hinge loss of several classes against all others.

    Args:
        input: Scores, (N, C) or (C).
        target: Classes, of the same shape; they end at the first -1.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per item, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or one per item with ``reduction="none"``.

    Example:
        >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> F.multilabel_margin_loss(scores, torch.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    return _nn.multilabel_margin_loss(input, target, _reduction.code(reduction))


@overridable
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the mean logistic loss of independent yes-or-no labels.

    Args:
        input: Scores, (N, C) or (C).
        target: 0 or 1 for each score.
        weight: A weight for each class, (C).
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per item, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or one per item with ``reduction="none"``.

    Example:
        >>> F.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.tensor([[0.0, 1.0]]))
        tensor(0.6931)
    """
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    log_sigmoid = torch.nn.functional.logsigmoid
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduction.reduce(loss.sum(dim=-1) / input.size(-1), reduction)


@overridable
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Compute the triplet loss with a distance of your own.

    Args:
        anchor: Vectors, (N, D) or (D).
        positive: Vectors that should be close to the anchors.
        negative: Vectors that should be farther away.
        distance_function: Function of two tensors. The default is pairwise_distance.
        margin: Difference of the distances to reach, above 0.
        swap: If True, use the distance between negative and positive where it is smaller than
            that between negative and anchor.
        reduction: ``none`` for one loss per triplet, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or one per triplet with ``reduction="none"``.

    Raises:
        ValueError: If the margin is not positive or the reduction is unknown.

    Example:
        >>> anchor, positive = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, 1.0]])
        >>> F.triplet_margin_with_distance_loss(
        ...     anchor, positive, torch.tensor([[1.5, 0.0]]),
        ...     distance_function=lambda x, y: (x - y).abs().sum(-1),
        ... )
        tensor(0.5000)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return _reduction.reduce((margin + near - far).clamp_min(0), reduction)
