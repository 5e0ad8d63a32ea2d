"""Losses with a margin and losses of distances. See _regression_loss for their common arguments."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._torch_function import handle_torch_function, has_torch_function_variadic
from torch.nn.functional import _reduction


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute log(1 + exp(-target * input)).

    Args:
        input: Scores of any shape.
        target: Labels 1 or -1, of the same shape.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> scores, labels = torch.tensor([0.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> F.soft_margin_loss(scores, labels, reduction="none")
        tensor([0.6931, 2.1269])
    """
    if has_torch_function_variadic(input, target):
        return handle_torch_function(
            soft_margin_loss,
            (input, target),
            input,
            target,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    return torch._C._nn.soft_margin_loss(input, target, _reduction.code(reduction))


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the input where the target is 1, and max(0, margin - input) where it is -1.

    Args:
        input: Distances of any shape.
        target: Labels 1 or -1, of the same shape.
        margin: Distance beyond which pairs labeled -1 have no loss.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> distances, labels = torch.tensor([0.5, 0.25]), torch.tensor([1.0, -1.0])
        >>> F.hinge_embedding_loss(distances, labels, reduction="none")
        tensor([0.5000, 0.7500])
    """
    if has_torch_function_variadic(input, target):
        return handle_torch_function(
            hinge_embedding_loss,
            (input, target),
            input,
            target,
            margin=margin,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    return torch.hinge_embedding_loss(input, target, margin, _reduction.code(reduction))


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute max(0, -target * (input1 - input2) + margin).

    Args:
        input1: First scores.
        input2: Second scores, of the same number of dimensions.
        target: 1 where the first score should be higher, -1 where the second one should.
        margin: Difference to reach.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or a tensor of the input's shape with ``reduction="none"``.

    Raises:
        RuntimeError: If the numbers of dimensions differ.
        ValueError: If the reduction is unknown.

    Example:
        >>> first, second = torch.tensor([1.0, 1.0]), torch.tensor([0.0, 3.0])
        >>> F.margin_ranking_loss(first, second, torch.ones(2), reduction="none")
        tensor([0., 2.])
    """
    if has_torch_function_variadic(input1, input2, target):
        return handle_torch_function(
            margin_ranking_loss,
            (input1, input2, target),
            input1,
            input2,
            target,
            margin=margin,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
        )
    code = _reduction.code(_reduction.resolve_legacy(reduction, size_average, reduce))
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return torch.margin_ranking_loss(input1, input2, target, margin, code)


pairwise_distance = torch.pairwise_distance


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute 1 - cos where the target is 1, and max(0, cos - margin) where it is -1.

    Here cos is the cosine of the angle between two vectors.

    Args:
        input1: Vectors, (N, D) or (D).
        input2: Vectors of the same shape.
        target: Labels 1 or -1, (N) or a scalar.
        margin: Cosine below which pairs labeled -1 have no loss.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or one value per pair with ``reduction="none"``.

    Raises:
        ValueError: If the reduction is unknown.

    Example:
        >>> first = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
        >>> second = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> F.cosine_embedding_loss(first, second, torch.tensor([1.0, -1.0]), reduction="none")
        tensor([1., 1.])
    """
    if has_torch_function_variadic(input1, input2, target):
        return handle_torch_function(
            cosine_embedding_loss,
            (input1, input2, target),
            input1,
            input2,
            target,
            margin=margin,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
        )
    reduction = _reduction.resolve_legacy(reduction, size_average, reduce)
    code = _reduction.code(reduction)
    return torch.cosine_embedding_loss(input1, input2, target, margin, code)


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
    """Compute max(0, d(anchor, positive) - d(anchor, negative) + margin).

    Here d is pairwise_distance(). See Balntas et al. (2016).

    Args:
        anchor: Vectors, (N, D) or (D).
        positive: Vectors that should be close to the anchors.
        negative: Vectors that should be farther away.
        margin: Difference of the distances to reach, above 0.
        p: Order of the norm.
        eps: Term added to the differences of vectors.
        swap: If True, use the distance between negative and positive where it is smaller than
            that between negative and anchor.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Returns:
        The loss: a scalar, or one value per triplet with ``reduction="none"``.

    Raises:
        ValueError: If the margin is not positive or the reduction is unknown.

    Example:
        >>> anchor, positive = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, 1.0]])
        >>> F.triplet_margin_loss(anchor, positive, torch.tensor([[1.5, 0.0]]))
        tensor(0.5000)
    """
    if has_torch_function_variadic(anchor, positive, negative):
        return handle_torch_function(
            triplet_margin_loss,
            (anchor, positive, negative),
            anchor,
            positive,
            negative,
            margin=margin,
            p=p,
            eps=eps,
            swap=swap,
            size_average=size_average,
            reduce=reduce,
            reduction=reduction,
        )
    code = _reduction.code(_reduction.resolve_legacy(reduction, size_average, reduce))
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, code)
