"""Distances and similarities of vectors."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module


class CosineSimilarity(Module):
    """Cosine of the angle between vectors along a dimension.

    Args:
        dim: Dimension of the vectors.
        eps: Smallest divisor.

    Shape:
        - Inputs: any shapes that broadcast together.
        - Output: the broadcast shape without dimension `dim`.

    Example:
        >>> nn.CosineSimilarity()(torch.tensor([[3.0, 4.0]]), torch.tensor([[1.0, 0.0]]))
        tensor([0.6000])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compute the cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """Distance between vectors: the p-norm of x1 - x2 + eps.

    Args:
        p: Order of the norm.
        eps: Term added to the difference.
        keepdim: If True, keep the last dimension with size 1.

    Shape:
        - Inputs: (N, D) or (D).
        - Output: (N) or a scalar.

    Example:
        >>> nn.PairwiseDistance()(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
        tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compute the distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
