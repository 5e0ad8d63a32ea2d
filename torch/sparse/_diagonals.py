"""Sparse matrices with given diagonals."""

from __future__ import annotations

from typing import Any

import torch
from torch.sparse._conversions import to_sparse
from torch.sparse._invariants import scalar_name
from torch.sparse._layouts import layout_name
from torch.sparse._tensor import make

Tensor = torch.Tensor


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> Tensor:
    """Create a sparse matrix with given diagonals.

    Args:
        diagonals: The diagonals in rows; element j of a row is in column j.
        offsets: Which diagonal each row is; 0 is the main one, positive numbers are above it.
        shape: The size of the matrix.
        layout: The layout of the result: torch.sparse_coo (the default), sparse_csr or sparse_csc.

    Raises:
        RuntimeError: If the numbers of dimensions or of diagonals do not fit, an offset occurs
            twice, or the layout is another one.

    Example:
        >>> torch.sparse.spdiags(torch.ones(1, 2), torch.tensor([0]), (2, 2)).to_dense()
        tensor([[1., 0.],
                [0., 1.]])
    """
    rows_of = diagonals.unsqueeze(0) if diagonals.dim() == 1 else diagonals
    _check_diagonals(rows_of, offsets, shape, layout)
    columns = torch.arange(rows_of.size(1), device=rows_of.device).expand(rows_of.shape)
    rows = columns - offsets.reshape(-1, 1)
    inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    indices = torch.stack([rows[inside], columns[inside]])
    found = make(indices, rows_of[inside], shape, coalesced=False)
    return to_sparse(found, layout=layout)  # type: ignore[no-any-return]


def _check_diagonals(rows_of: Tensor, offsets: Tensor, shape: Any, layout: Any) -> None:
    given = rows_of.size(0) if rows_of.dim() else 1
    rules = (
        (rows_of.dim() == 2, "Diagonals must be vector or matrix"),
        (len(shape) == 2, "Output shape must be 2d"),
        (offsets.dim() <= 1, "Offsets must be scalar or vector"),
        (
            given == offsets.numel(),
            f"Number of diagonals ({given}) does not match the number of offsets "
            f"({offsets.numel()})",
        ),
        (
            layout in (None, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc),
            "Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got "
            f"{layout_name(layout)}",
        ),
        (
            offsets.dtype == torch.int64,
            f"Offset Tensor must have dtype Long but got {scalar_name(offsets.dtype)}",
        ),
        (
            torch.unique(offsets).numel() == offsets.numel(),
            "Offset tensor contains duplicate values",
        ),
    )
    for holds, message in rules:
        if not holds:
            raise RuntimeError(message)
