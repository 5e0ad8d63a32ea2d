"""Lookup in tables of vectors."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._torch_function import handle_torch_function, has_torch_function_variadic


def _resolve_padding_idx(padding_idx: int | None, weight: Tensor) -> int:
    """Return a row number counted from the front, or -1 for None."""
    if padding_idx is None:
        return -1
    rows = weight.size(0)
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _renormalize(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale down, in place, the rows in use whose norm exceeds max_norm."""
    with torch.no_grad():
        used = input.reshape(-1).long()
        # The tangent of a dual tensor is not scaled.
        weight = getattr(weight, "_primal", weight).detach()
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
    """Look up rows of a table.

    Args:
        input: Row numbers, integers of any shape (*).
        weight: Table, (V, D).
        padding_idx: Row that receives no gradient.
        max_norm: If given, rows with a larger norm are first scaled down to it, in place.
        norm_type: Order p of the p-norm that `max_norm` limits.
        scale_grad_by_freq: If True, divide each row's gradient by the row's count in the input.
        sparse: If True, the gradient of `weight` is a sparse tensor.

    Returns:
        The rows, (*, D).

    Raises:
        AssertionError: If `padding_idx` is not a row of the table.

    Example:
        >>> table = torch.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
        >>> F.embedding(torch.tensor([2, 0]), table)
        tensor([[2.0000, 2.5000],
                [0.0000, 0.5000]])
    """
    if has_torch_function_variadic(input, weight):
        return handle_torch_function(
            embedding,
            (input, weight),
            input,
            weight,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )
    row = _resolve_padding_idx(padding_idx, weight)
    if max_norm is not None:
        _renormalize(weight, input, max_norm, norm_type)
    if sparse and weight.requires_grad and torch.is_grad_enabled():
        from torch.sparse._embedding import SparseEmbedding

        return SparseEmbedding.apply(  # type: ignore[no-any-return]
            weight, input, row, scale_grad_by_freq
        )
    return torch.embedding(weight, input, row, scale_grad_by_freq, sparse)
