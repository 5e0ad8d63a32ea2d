"""Losses of pairs and triplets, which stop at a margin."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.loss import _Loss


class _MarginLoss(_Loss):
    """Base class of the losses with a margin."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_MarginLoss):
    """A loss of distances: the input where the target is 1, max(0, margin - input) where it is -1.

    Args:
        margin: Distance beyond which pairs labeled -1 have no loss. The default is 1.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Input and target: any shape, the same for both.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> loss = nn.HingeEmbeddingLoss(reduction="none")
        >>> loss(torch.tensor([0.5, 0.25]), torch.tensor([1.0, -1.0]))
        tensor([0.5000, 0.7500])
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """A loss of pairs of scores: max(0, -target * (input1 - input2) + margin).

    Args:
        margin: Difference to reach. The default is 0.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Inputs and target: any shape, the same for all. The target is 1 where the first score
          should be higher, and -1 where the second one should.
        - Output: a scalar, or that shape with ``reduction="none"``.

    Example:
        >>> loss = nn.MarginRankingLoss(reduction="none")
        >>> loss(torch.tensor([1.0, 1.0]), torch.tensor([0.0, 3.0]), torch.ones(2))
        tensor([0., 2.])
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class CosineEmbeddingLoss(_MarginLoss):
    """A loss of the cosine of the angle between two vectors.

    It is 1 - cos where the target is 1, and max(0, cos - margin) where it is -1.

    Args:
        margin: Cosine below which pairs labeled -1 have no loss. The default is 0.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Inputs: (N, D) or (D).
        - Target: (N) or a scalar.
        - Output: a scalar, or the target's shape with ``reduction="none"``.

    Example:
        >>> loss = nn.CosineEmbeddingLoss()
        >>> loss(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]), torch.ones(1))
        tensor(1.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return F.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """A loss of triplets of vectors: max(0, d(anchor, positive) - d(anchor, negative) + margin).

    Here d is the p-norm of the difference. See Balntas et al. (2016).

    Args:
        margin: Difference of the distances to reach, above 0.
        p: Order of the norm.
        eps: Term added to the differences of vectors.
        swap: If True, use the distance between negative and positive where it is smaller than
            that between negative and anchor.
        size_average: Deprecated. Use `reduction`.
        reduce: Deprecated. Use `reduction`.
        reduction: ``none`` for one loss per element, ``mean`` or ``sum``.

    Shape:
        - Inputs: (N, D) or (D).
        - Output: a scalar, or (N) with ``reduction="none"``.

    Raises:
        ValueError: If the margin is not positive.

    Example:
        >>> anchor, positive = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, 1.0]])
        >>> nn.TripletMarginLoss()(anchor, positive, torch.tensor([[1.5, 0.0]]))
        tensor(0.5000)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss."""
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )
