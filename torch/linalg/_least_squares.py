"""Linear equations solved in the sense of least squares."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import torch
from torch._C import _linalg
from torch._composites import _has_tangents
from torch._outputs import kind_of
from torch.linalg._checks import all_true
from torch.linalg._composites import pinv

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["lstsq"]

_HALF_PRECISION = (torch.float16, torch.bfloat16)
_FULL_PRECISION = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def _is_well_conditioned(R: Tensor, limit: float) -> bool:
    """Return whether the condition of the upper triangles of R is surely below the limit.

    Two steps of inverse iteration from four vectors estimate the smallest singular value, to much
    better than the factor of 32 that is left as a margin; the Frobenius norm bounds the largest.
    """
    size = R.shape[-1]
    start = torch.arange(1, 4 * size + 1, dtype=torch.float64).sin().to(R.dtype)
    vectors = start.reshape(size, 4).expand(*R.shape[:-2], size, 4)
    norm = R.triu().norm(dim=(-2, -1), keepdim=True)  # as a factor in every step, against overflow
    for _ in range(2):
        half = _linalg.linalg_solve_triangular(R.mH, vectors, upper=False) * norm
        vectors = _linalg.linalg_solve_triangular(R, half, upper=True) * norm
    growth = (vectors.norm(dim=(-2, -1)) / start.norm()) ** 0.25
    return all_true(growth < limit / 32)


def _lstsq_by_qr(A: Tensor, right: Tensor, limit: float) -> tuple[Tensor, Tensor] | None:
    """Solve for matrices whose rank is surely full; also return the squared residuals."""
    rows, cols = A.shape[-2:]
    least = min(rows, cols)
    if rows >= cols and A.is_floating_point():
        solution, residuals, full_rank = torch._linalg_lstsq_by_qr_for_cpu(A, right, limit)
        return (solution, residuals) if full_rank else None
    factors, tau = torch.geqrf(A if rows >= cols else A.mH)
    R = factors[..., :least, :]
    if not _is_well_conditioned(R, limit):
        return None
    if rows >= cols:
        turned = torch.ormqr(factors, tau, right, True, True)
        solution = _linalg.linalg_solve_triangular(R, turned[..., :cols, :], upper=True)
        return solution, turned[..., cols:, :].abs().square().sum(-2)
    half = _linalg.linalg_solve_triangular(R.mH, right, upper=False)
    padding = half.new_zeros((*half.shape[:-2], cols - rows, half.shape[-1]))
    return torch.ormqr(factors, tau, torch.cat([half, padding], -2)), half.new_empty(0)


def _right_side(input: Tensor, b: Tensor) -> tuple[Tensor, bool]:
    """Return the right-hand sides of lstsq as matrices, and whether they were vectors."""
    if b.dim() < 1:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    difference = input.dim() - b.dim()
    if not 0 <= difference <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and "
            "(input.dim() - other.dim()) <= 1"
        )
    vectors = b.dim() == 1 or b.shape == input.shape[:-1]
    side = -1 if vectors else -2
    if b.shape[side] != input.shape[-2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({side})")
    right = b.unsqueeze(-1) if difference else b
    if right.dtype != input.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
            f"dtype {kind_of(input)} and other's dtype {kind_of(right)}"
        )
    return right, bool(difference)


def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> torch.return_types.linalg_lstsq:
    """Solve linear equations in the sense of least squares.

    Args:
        input: A tensor of shape (..., m, n).
        b: The right-hand sides, of shape (..., m, k) or (..., m).
        rcond: The tolerance below which singular values, relative to the largest, count as zero.
        driver: "gels", "gelsy", "gelsd" or "gelss". All are computed from a QR factorization if the
            rank is full, and from singular values if not, or if gradients are needed.

    Returns:
        The solution of least norm, the squared residuals (empty unless m > n, the rank is full, and
        the driver is not "gelsy", the default), the ranks, and the singular values (for "gelsd" and
        "gelss").

    Raises:
        RuntimeError: If the shapes or the dtypes do not fit, or the driver is unknown.

    Example:
        >>> A = torch.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> torch.linalg.lstsq(A, torch.tensor([[1.0], [3.0], [5.0]])).solution.round()
        tensor([[1.],
                [2.]])
    """
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if input.is_cpu and torch.is_autocast_enabled("cpu"):
        input, b = (x.float() if x.dtype in _HALF_PRECISION else x for x in (input, b))
    if input.dim() < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    right, vector = _right_side(input, b)
    rows, cols = input.shape[-2:]
    if rcond is None and input.dtype not in _FULL_PRECISION:
        raise RuntimeError("This function doesn't handle types other than float and double")
    # As in LAPACK: gels takes matrices of full rank only, gelsd ignores cutoffs from 1 on, gelss
    # drops all singular values for them, and gelsy keeps at least the largest.
    if driver == "gels" or (rcond is not None and rcond >= 1 and driver == "gelsd"):
        rcond = None
    eps = torch.finfo(input.dtype).eps
    cutoff = eps * max(rows, cols) if rcond is None else rcond
    if driver != "gelss":
        cutoff = min(cutoff, 1 - eps)
    wants_values = driver in ("gelsd", "gelss")
    differentiated = torch.is_grad_enabled() and (input.requires_grad or right.requires_grad)
    differentiated = differentiated or _has_tangents()
    direct = None
    tries_qr = (
        input.is_cpu
        and not differentiated
        and input.numel()
        and cutoff < 1
        and right.shape[:-2] == input.shape[:-2]
    )
    if tries_qr:
        direct = _lstsq_by_qr(input, right, inf if cutoff <= 0 else 1 / cutoff)
    values = torch.empty(0, dtype=input.dtype.to_real(), device=input.device)
    if direct is None or wants_values:
        with torch.no_grad():
            values = _linalg.linalg_svdvals(input)
    # Singular values alone take a fraction of the time of their vectors.
    if tries_qr and direct is None and all_true(values[..., -1] > 2 * cutoff * values[..., 0]):
        direct = _lstsq_by_qr(input, right, inf)
    solution = pinv(input, rtol=cutoff) @ right if direct is None else direct[0]
    least = min(rows, cols)
    if direct is None:
        rank = (values > cutoff * values[..., :1]).sum(-1)
    else:
        rank = torch.full(input.shape[:-2], least)
    empty = values.new_empty(0)
    residuals = empty
    if driver not in (None, "gelsy") and rows > cols:
        if direct is not None:
            residuals = direct[1]
        elif all_true(rank == cols):
            residuals = (input @ solution - right).abs().square().sum(-2)
    if driver == "gels":
        rank = torch.empty(0, dtype=torch.int64, device=input.device)
    return torch.return_types.linalg_lstsq(
        (
            solution.squeeze(-1) if vector else solution,
            residuals,
            rank,
            values if wants_values else empty,
        )
    )
