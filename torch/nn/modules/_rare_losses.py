"""Losses for sequences and of margins between classes."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.loss import _ElementwiseLoss, _Loss, _WeightedLoss
from torch.nn.modules.module import Module


class CTCLoss(_Loss):
    """Negative log likelihood of label sequences over all their alignments with the inputs.

    See Graves et al., "Connectionist Temporal Classification" (2006).

    Args:
        blank: Class that stands for no label.
        reduction: ``none``, ``mean`` (over labels, then over the batch) or ``sum``.
        zero_infinity: If True, sequences too long for their inputs lose nothing instead of infinity.

    Shape:
        - log_probs: (T, N, C) or (T, C); see log_softmax.
        - targets: (N, S), or all sequences in one row.
        - input_lengths and target_lengths: (N) or ().
        - Output: a scalar, or (N) with ``reduction="none"``.

    Example:
        >>> log_probs = torch.full((3, 1, 2), 0.5).log()
        >>> nn.CTCLoss()(log_probs, torch.tensor([[1]]), [3], [1])
        tensor(0.2877)
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | list[int],
        target_lengths: Tensor | list[int],
    ) -> Tensor:
        """Compute the loss."""
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
            self.zero_infinity,
        )  # fmt: skip


class MultiMarginLoss(_WeightedLoss):
    """Hinge loss of one class against all others.

    Args:
        p: Power of the hinge, 1 or 2.
        margin: Difference of the scores to reach.
        weight: A weight for each class, (C).
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per item, ``mean`` or ``sum``.

    Shape:
        - Input: (N, C) or (C). Target: (N) or (), classes.
        - Output: a scalar, or one loss per item with ``reduction="none"``.

    Raises:
        ValueError: If `p` is not 1 or 2, or the weight has more than one dimension.

    Example:
        >>> nn.MultiMarginLoss()(torch.tensor([[0.0, 0.5, 2.0]]), torch.tensor([2]))
        tensor(0.)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                "MultiMarginLoss: expected weight to be None or 1D tensor, got "
                f"{weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight,
            reduction=self.reduction,
        )  # fmt: skip


class MultiLabelMarginLoss(_ElementwiseLoss):
    """Hinge loss of several classes against all others.

    Args:
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per item, ``mean`` or ``sum``.

    Shape:
        - Input: (N, C) or (C). Target: the same; the classes end at the first -1.
        - Output: a scalar, or one loss per item with ``reduction="none"``.

    Example:
        >>> scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> nn.MultiLabelMarginLoss()(scores, torch.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """

    _operator = property(lambda _: F.multilabel_margin_loss)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Mean logistic loss of independent yes-or-no labels.

    Args:
        weight: A weight for each class, (C).
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per item, ``mean`` or ``sum``.

    Shape:
        - Input: (N, C) or (C). Target: the same, 0 or 1.
        - Output: a scalar, or one loss per item with ``reduction="none"``.

    Example:
        >>> nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 2), torch.tensor([[0.0, 1.0]]))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.multilabel_soft_margin_loss(
            input, target, weight=self.weight, reduction=self.reduction
        )


class TripletMarginWithDistanceLoss(_Loss):
    """Triplet loss with a distance of your own.

    Args:
        distance_function: Function of two tensors, or None for nn.PairwiseDistance.
        margin: Difference of the distances to reach, above 0.
        swap: If True, use the distance between negative and positive where it is smaller than
            that between negative and anchor.
        reduction: ``none`` for one loss per triplet, ``mean`` or ``sum``.

    Shape:
        - Anchor, positive and negative: (N, D), or as the distance requires.
        - Output: a scalar, or one loss per triplet with ``reduction="none"``.

    Raises:
        ValueError: If the margin is not positive.

    Example:
        >>> loss = nn.TripletMarginWithDistanceLoss(
        ...     distance_function=lambda x, y: (x - y).abs().sum(-1)
        ... )
        >>> loss(torch.zeros(1, 2), torch.tensor([[0.0, 1.0]]), torch.tensor([[1.5, 0.0]]))
        tensor(0.5000)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} "
                "instead"
            )
        if distance_function is None:
            from torch.nn.modules.distance import PairwiseDistance

            distance_function = PairwiseDistance()
        self.distance_function: Callable[[Tensor, Tensor], Tensor] | Module = distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function,
            margin=self.margin, swap=self.swap, reduction=self.reduction,
        )  # fmt: skip
