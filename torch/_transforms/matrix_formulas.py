"""Forward derivatives of factorizations and spectra of matrices.

Source: Giles, "An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation" (2008).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor


def _argument(p: list[Any], k: dict[str, Any], place: int, name: str, default: Any) -> Any:
    return p[place] if len(p) > place else k.get(name, default)


def _cholesky(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Return L phi(L^-1 A' L^-H), where phi takes the lower triangle and half of the diagonal."""
    factor, info = func(*p, **k)
    upper = _argument(p, k, 1, "upper", False)
    lower = factor.mH if upper else factor
    inner = torch.linalg.solve_triangular(lower, t[0], upper=False)
    inner = torch.linalg.solve_triangular(lower.mH, inner, upper=True, left=False)
    tangent = lower @ (inner.tril() - torch.diag_embed(inner.diagonal(dim1=-2, dim2=-1) / 2))
    return (factor, info), [tangent.mH if upper else tangent, None]


def _eigenvalues(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Return the diagonal of V^-1 A' V."""
    values, vectors = torch.linalg.eig(p[0])
    tangent = torch.linalg.solve(vectors, t[0].to(vectors.dtype) @ vectors)
    return values, tangent.diagonal(dim1=-2, dim2=-1)


def _symmetric(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Return the diagonal of V^H A' V, and V times the rest over the differences of eigenvalues."""
    values, vectors = torch.linalg.eigh(p[0], _argument(p, k, 1, "UPLO", "L"))
    inner = vectors.mH @ t[0] @ vectors
    along = inner.diagonal(dim1=-2, dim2=-1)
    along = along.real if along.is_complex() else along
    if not _argument(p, k, 2, "compute_v", True):
        return (values, vectors.new_empty(0)), [along, None]
    differences = values.unsqueeze(-2) - values.unsqueeze(-1)
    unit = torch.eye(values.size(-1), dtype=torch.bool, device=values.device)
    turned = inner.masked_fill(unit, 0) / differences.masked_fill(unit, 1)
    return (values, vectors), [along, vectors @ turned]


def _singular_values(func: Any, p: list[Any], t: list[Any], k: dict[str, Any]) -> tuple[Any, Any]:
    """Return the diagonal of U^H A' V, if only singular values are asked for."""
    if _argument(p, k, 2, "compute_uv", True):
        return NotImplemented
    left, values, right = torch.linalg.svd(p[0], full_matrices=False)
    tangent = (left.conj() * (t[0] @ right.mH)).sum(-2)
    tangent = tangent.real if tangent.is_complex() else tangent
    empty = left.new_empty(0)
    return (empty, values, empty), [None, tangent, None]


MATRIX_FORMULAS: dict[str, Callable[..., Any]] = {
    "linalg_cholesky_ex": _cholesky,
    "_linalg_eigvals": _eigenvalues,
    "_linalg_eigh": _symmetric,
    "_linalg_svd": _singular_values,
}
