"""Tables of vectors."""

from __future__ import annotations

import torch
from torch import Tensor


def _row(padding_idx: int | None, weight: Tensor) -> int:
    """A row number from the front; -1 for none."""
    if padding_idx is None:
        return -1
    rows = weight.size(0)
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _renormalise(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales down the rows in use whose norm exceeds max_norm, in place."""
    with torch.no_grad():
        used = input.reshape(-1)
        rows = weight.index_select(0, used)
        norms = rows.norm(norm_type, 1, keepdim=True)
        scale = torch.where(norms > max_norm, max_norm / (norms + 1e-7), torch.ones_like(norms))
        weight.index_copy_(0, used, rows * scale)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of weight (V, D) at the indices of input (*): (*, D)."""
    row = _row(padding_idx, weight)
    if max_norm is not None:
        _renormalise(weight, input, max_norm, norm_type)
    return torch.embedding(weight, input, row, scale_grad_by_freq, sparse)
