"""Products and inverses of the triangular factors that multivariate distributions keep."""

from __future__ import annotations

import torch

Tensor = torch.Tensor


def solve_lower(lower: Tensor, right: Tensor) -> Tensor:
    """Solve L X = B for lower triangular matrices."""
    return torch.linalg.solve_triangular(lower, right, upper=False)


def half_log_det(lower: Tensor) -> Tensor:
    """Return half the logarithm of the determinant of L Lᵀ."""
    return lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def cholesky_inverse(lower: Tensor) -> Tensor:
    """Return the inverse of L Lᵀ."""
    eye = torch.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device)
    inverse = solve_lower(lower, eye.expand(lower.shape))
    return inverse.mT @ inverse


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """Return the Cholesky factor of the inverse of a precision matrix."""
    flipped = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    upper = torch.flip(flipped, (-2, -1)).mT
    eye = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_lower(upper, eye.expand(precision.shape))


def batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Multiply matrices by vectors, with broadcasting."""
    return torch.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def batch_mahalanobis(lower: Tensor, x: Tensor) -> Tensor:
    """Return xᵀ (L Lᵀ)⁻¹ x, with broadcasting."""
    shape = torch.broadcast_shapes(lower.shape[:-2], x.shape[:-1])
    n = x.shape[-1]
    solved = solve_lower(lower.expand((*shape, n, n)), x.expand((*shape, n)).unsqueeze(-1))
    return solved.squeeze(-1).pow(2).sum(-1)
