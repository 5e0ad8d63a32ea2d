"""Approximate singular value decompositions and principal components by random projections.

Halko, Martinsson and Tropp, "Finding structure with randomness" (2009), algorithms 4.4 and 5.1.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["pca_lowrank", "svd_lowrank"]


def get_approximate_basis(A: Tensor, q: int, niter: int = 2, M: Tensor | None = None) -> Tensor:
    """Return a matrix with `q` orthonormal columns that nearly spans the range of A - M."""
    dtype = A.dtype if A.dtype.is_floating_point or A.dtype.is_complex else torch.float32
    R = torch.randn(A.shape[-1], q, dtype=dtype, device=A.device)

    def apply(x: Tensor) -> Tensor:
        return A @ x if M is None else A @ x - M @ x

    def apply_adjoint(x: Tensor) -> Tensor:
        return A.mH @ x if M is None else A.mH @ x - M.mH @ x

    Q: Tensor = torch.linalg.qr(apply(R)).Q
    for _ in range(niter):
        Q = torch.linalg.qr(apply_adjoint(Q)).Q
        Q = torch.linalg.qr(apply(Q)).Q
    return Q


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return an approximate singular value decomposition of a matrix of low rank.

    Args:
        A: Tensor of shape (..., m, n).
        q: A slightly larger number than the rank of A.
        niter: How many subspace iterations to run.
        M: A matrix to subtract from A, of a shape that broadcasts to that of A.

    Returns:
        U, S and V, with A - M close to U @ diag(S) @ V.mH.

    Example:
        >>> A = torch.ones(5, 3)
        >>> U, S, V = torch.svd_lowrank(A, q=2)
        >>> torch.allclose(U @ torch.diag(S) @ V.mH, A, atol=1e-4)
        True
    """
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    m, n = A.shape[-2:]
    M = None if M is None else M.broadcast_to(A.size())
    if m < n:
        U, S, V = svd_lowrank(A.mH, q, niter, None if M is None else M.mH)
        return V, S, U
    Q = get_approximate_basis(A, q, niter, M)
    B = Q.mH @ (A if M is None else A - M)
    U, S, Vh = torch.linalg.svd(B, full_matrices=False)
    return Q @ U, S, Vh.mH


def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """Return approximate principal components of the rows of a matrix.

    Args:
        A: Tensor of shape (..., m, n).
        q: The number of components; min(6, m, n) if None.
        center: Whether to subtract the mean of the columns first.
        niter: How many subspace iterations to run.

    Raises:
        ValueError: If `q` or `niter` is out of range.

    Example:
        >>> U, S, V = torch.pca_lowrank(torch.arange(6.0).view(3, 2), q=1)
        >>> S
        tensor([4.])
    """
    m, n = A.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter)
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True), q, niter)
