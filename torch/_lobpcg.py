"""Extreme eigenvalues of large symmetric matrices by locally optimal block conjugate gradients.

Knyazev, "Toward the optimal preconditioned eigensolver" (2001). Each step solves the problem in the
space of the approximations, their residuals and the last changes, for which an orthonormal basis
is made (method "ortho") or whose Gram matrix is factored ("basic").
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["lobpcg"]

_PRECISION = {torch.float32: 1.2e-07, torch.float64: 2.23e-16}


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Callable[[Any], None] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """Return some extreme eigenvalues of A x = e B x, and their eigenvectors.

    Args:
        A: Symmetric matrices of shape (..., m, m).
        k: The number of pairs; by default, the number of columns of `X`, or 1.
        B: Positive definite matrices of shape (..., m, m); by default, the identity.
        X: Initial approximations of the vectors, of shape (..., m, n).
        n: The number of random approximations if `X` is None; `k` by default.
        iK: A preconditioner of shape (..., m, m).
        niter: The largest number of steps; -1 for no limit.
        tol: The relative size of a residual at which a pair is accepted.
        largest: Whether the largest or the smallest values are computed.
        method: `"ortho"` or `"basic"`.
        tracker: A function that is called at each step with the state of the iteration.
        ortho_iparams: Accepted for compatibility; the basis of `"ortho"` needs no parameters.
        ortho_fparams: As `ortho_iparams`.
        ortho_bparams: As `ortho_iparams`.

    Returns:
        The values, of shape (..., k), and the vectors, of shape (..., m, k).

    Raises:
        ValueError: If m is smaller than 3 n, or the method is unknown.

    Example:
        >>> A = torch.diag(torch.arange(1.0, 10.0))
        >>> values, vectors = torch.lobpcg(A, k=1)
        >>> torch.allclose(values, torch.tensor([9.0]))
        True
    """
    if A.dtype not in _PRECISION:
        raise ValueError(f"lobpcg expects float32 or float64 matrices, but got {A.dtype}")
    method = "ortho" if method is None else method
    if method not in ("basic", "ortho"):
        raise ValueError(f"lobpcg knows the methods 'basic' and 'ortho', but got {method!r}")
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if m < 3 * n:
        raise ValueError(
            f"LPBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 "
            f"x the number of requested eigenpairs (={n})"
        )
    settings = {
        "niter": 1000 if niter is None else niter,
        "tol": _PRECISION[A.dtype] ** 0.5 if tol is None else tol,
        "largest": True if largest is None else largest,
    }
    batch = A.shape[:-2]

    def matrices(x: Tensor | None) -> list[Tensor | None]:
        if x is None:
            return [None] * prod(batch)
        if x.layout is not torch.strided:  # a single matrix
            return [x.detach()]
        return list(x.detach().expand(*batch, *x.shape[-2:]).reshape(-1, *x.shape[-2:]))

    start = torch.randn((*batch, m, n), dtype=A.dtype, device=A.device) if X is None else X
    symmetric = (A + A.mT) / 2 if A.requires_grad else A
    with torch.no_grad():
        found = [
            _Iteration(*parts, k=k, method=method, tracker=tracker, **settings).run()
            for parts in zip(
                matrices(symmetric), matrices(B), matrices(start), matrices(iK), strict=True
            )
        ]
        E = torch.stack([pair[0] for pair in found]).reshape(*batch, k)
        V = torch.stack([pair[1] for pair in found]).reshape(*batch, m, k)
    if A.requires_grad or (B is not None and B.requires_grad):
        return _Differentiable.apply(symmetric, B, E, V, settings["largest"])
    return E, V


def _norm(matrix: Tensor) -> float:
    elements = matrix if matrix.layout is torch.strided else matrix.to_sparse().coalesce().values()
    return float(elements.norm())


class _Iteration:
    """The state of one iteration, with the names that a tracker reads."""

    def __init__(
        self,
        A: Tensor,
        B: Tensor | None,
        X: Tensor,
        iK: Tensor | None,
        *,
        k: int,
        niter: int,
        tol: float,
        largest: bool,
        method: str,
        tracker: Callable[[Any], None] | None,
    ) -> None:
        self.A, self.B, self.iK, self.X = A, B, iK, X
        self.method, self.tracker = method, tracker
        self.iparams = {"m": A.shape[-1], "n": X.shape[-1], "k": k, "niter": niter}
        self.fparams, self.bparams = {"tol": tol}, {"largest": largest}
        self.ivars = {"istep": 0, "converged_count": 0}
        self.fvars = {"A_norm": _norm(A), "B_norm": 1.0 if B is None else _norm(B)}
        self.bvars = {"force_stop": False}
        self.tvars: dict[str, Tensor] = {}
        self.E = X.new_zeros(X.shape[-1])
        self.R = self.S = X
        self.P: Tensor | None = None

    def run(self) -> tuple[Tensor, Tensor]:
        """Iterate until enough pairs are exact; return the values and vectors."""
        k = self.iparams["k"]
        self._project(self.X)
        while not self._finished():
            self._step()
        return self.E[:k].clone(), self.X[:, :k].clone()

    def _weighted(self, x: Tensor) -> Tensor:
        return x if self.B is None else self.B @ x

    def _finished(self) -> bool:
        """Update the residuals and the count of pairs that are exact, from the first on."""
        self.R = self.A @ self.X - self._weighted(self.X) * self.E
        scale = self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]
        errors = self.R.norm(dim=0) / (self.X.norm(dim=0) * scale)
        self.tvars["rerr"] = errors
        inexact = (errors >= self.fparams["tol"]).tolist()
        self.ivars["converged_count"] = inexact.index(True) if True in inexact else len(inexact)
        if self.tracker is not None:
            self.tracker(self)
        steps, limit = self.ivars["istep"], self.iparams["niter"]
        exact = self.ivars["converged_count"] >= self.iparams["k"]
        return exact or self.bvars["force_stop"] or 0 <= limit <= steps

    def _step(self) -> None:
        count = self.ivars["converged_count"]
        residuals = self.R[:, count:]
        W = residuals if self.iK is None else self.iK @ residuals
        W = W / W.norm(dim=0).clamp_min(torch.finfo(W.dtype).tiny)
        parts = [self.X, W] if self.P is None else [self.X, W, self.P[:, count:]]
        old = self.X
        self.S = torch.cat(parts, 1)
        self._project(self.S)
        # The new component of the approximations is the direction of the next step.
        overlap = self._weighted(old).mT @ self.X
        self.P = self.X - old @ overlap
        self.P = self.P / self.P.norm(dim=0).clamp_min(torch.finfo(W.dtype).tiny)
        self.ivars["istep"] += 1

    def _project(self, S: Tensor) -> None:
        """Replace E and X by the best of the space that the columns of S span."""
        basis = self._basis(S)
        values, vectors = torch.linalg.eigh(basis.mT @ (self.A @ basis))
        count = self.iparams["n"]
        if self.bparams["largest"]:
            values, vectors = values.flip(0), vectors.flip(1)
        self.E, self.X = values[:count], basis @ vectors[:, :count]

    def _basis(self, S: Tensor) -> Tensor:
        """Return vectors that are orthonormal with respect to B and span the columns of S."""
        if self.method == "basic":
            factor = torch.linalg.cholesky(S.mT @ self._weighted(S))
            return torch.linalg.solve_triangular(factor, S.mT, upper=False).mT
        # Directions that depend on others are dropped; a second pass removes what rounding left.
        least = self.iparams["n"]
        for _ in range(2):
            gram = S.mT @ self._weighted(S)
            values, vectors = torch.linalg.eigh((gram + gram.mT) / 2)
            limit = float(values[-1]) * _PRECISION[S.dtype] * 10 * len(values)
            kept = max(int((values > limit).sum()), least)
            S = S @ (vectors[:, -kept:] / values[-kept:].clamp_min(limit).sqrt())
        return S


class _Differentiable(torch.autograd.Function):
    """Gives results of lobpcg their gradients, with all eigenvectors of the matrix."""

    @staticmethod
    def forward(
        ctx: Any, A: Tensor, B: Tensor | None, E: Tensor, V: Tensor, largest: bool
    ) -> tuple[Tensor, Tensor]:
        results = E.clone(), V.clone()
        ctx.save_for_backward(A, *results)  # results, so that second derivatives include theirs
        ctx.has_weight, ctx.largest = B is not None, largest
        return results

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        if ctx.has_weight:
            raise ValueError("lobpcg has no gradients if B is given")
        grad_E, grad_V = grads
        A, E, V = ctx.saved_tensors
        _, vectors = torch.linalg.eigh(A)
        values = torch.linalg.eigvalsh(A)
        if ctx.largest:
            values, vectors = values.flip(-1), vectors.flip(-1)
        # dv_j is the sum over i != j of v_i (v_i^T dA v_j) / (e_j - e_i).
        gaps = E.unsqueeze(-2) - values.unsqueeze(-1)
        same = torch.eye(*gaps.shape[-2:], dtype=torch.bool, device=A.device)
        inner = (vectors.mT @ grad_V) / torch.where(same, 1, gaps)
        inner = inner.masked_fill(same, 0)
        gradient = (V * grad_E.unsqueeze(-2) + vectors @ inner) @ V.mT
        return gradient, None, None, None, None
