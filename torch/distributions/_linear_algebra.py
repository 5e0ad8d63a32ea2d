"""Matrices of multivariate distributions, with gradients, by operators that exist everywhere."""

from __future__ import annotations

import torch

Tensor = torch.Tensor


def _has(name: str) -> bool:
    return hasattr(torch.linalg, name)


def cholesky_ex(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower Cholesky factor, and for each matrix whether it is not positive definite."""
    if _has("cholesky_ex"):
        return torch.linalg.cholesky_ex(matrix)
    n = matrix.shape[-1]
    columns: list[Tensor] = []
    failed = torch.zeros(matrix.shape[:-2], dtype=torch.bool, device=matrix.device)
    for j in range(n):
        column = matrix[..., :, j]
        for known in columns:
            column = column - known * known[..., j : j + 1]
        pivot = column[..., j]
        failed = failed | ~(pivot > 0)
        root = pivot.clamp(min=torch.finfo(matrix.dtype).tiny).sqrt()
        below = column / root.unsqueeze(-1)
        mask = torch.arange(n, device=matrix.device) >= j
        columns.append(torch.where(mask, below, torch.zeros_like(below)))
    return torch.stack(columns, -1), failed.to(torch.int32)


def cholesky(matrix: Tensor) -> Tensor:
    """Return the lower Cholesky factor.

    Raises:
        torch.linalg.LinAlgError: If a matrix is not positive definite.
    """
    if _has("cholesky"):
        return torch.linalg.cholesky(matrix)
    factor, failed = cholesky_ex(matrix)
    if failed.any():
        error = getattr(torch.linalg, "LinAlgError", RuntimeError)
        raise error(
            "linalg.cholesky: The factorization could not be completed because the input "
            "is not positive-definite."
        )
    return factor


def solve_triangular(lower: Tensor, right: Tensor) -> Tensor:
    """Solve L X = B for lower triangular matrices."""
    if _has("solve_triangular"):
        return torch.linalg.solve_triangular(lower, right, upper=False)
    n = lower.shape[-1]
    rows: list[Tensor] = []
    for i in range(n):
        row = right[..., i, :]
        for j, known in enumerate(rows):
            row = row - lower[..., i, j].unsqueeze(-1) * known
        rows.append(row / lower[..., i, i].unsqueeze(-1))
    return torch.stack(torch.broadcast_tensors(*rows), -2)


def cholesky_inverse(lower: Tensor) -> Tensor:
    """Return the inverse of L Lᵀ."""
    eye = torch.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device)
    inverse = solve_triangular(lower, eye.expand(lower.shape))
    return inverse.mT @ inverse


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """Return the Cholesky factor of the inverse of a precision matrix."""
    flipped = cholesky(torch.flip(precision, (-2, -1)))
    upper = torch.flip(flipped, (-2, -1)).mT
    eye = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_triangular(upper, eye.expand(precision.shape))


def diag_embed(values: Tensor) -> Tensor:
    """Return matrices with the values on their diagonals."""
    if hasattr(torch, "diag_embed"):
        return torch.diag_embed(values)
    n = values.shape[-1]
    return values.unsqueeze(-1) * torch.eye(n, dtype=values.dtype, device=values.device)


def batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Multiply matrices by vectors, with broadcasting."""
    return torch.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def batch_mahalanobis(lower: Tensor, x: Tensor) -> Tensor:
    """Return xᵀ (L Lᵀ)⁻¹ x, with broadcasting."""
    shape = torch.broadcast_shapes(lower.shape[:-2], x.shape[:-1])
    n = x.shape[-1]
    solved = solve_triangular(lower.expand((*shape, n, n)), x.expand((*shape, n)).unsqueeze(-1))
    return solved.squeeze(-1).pow(2).sum(-1)
