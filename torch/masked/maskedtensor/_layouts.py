"""How the sparse data and mask of a masked tensor fit together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor


def fit_to_mask(data: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return sparse data with the elements that the mask has, and both coalesced."""
    if data.layout == torch.sparse_coo:
        data, mask = data.coalesce(), mask.coalesce()
    if data.layout in (torch.sparse_coo, torch.sparse_csr) and data._nnz() != mask._nnz():
        data = data.sparse_mask(mask)
    return data, mask


def check_same_indices(data: Tensor, mask: Tensor) -> None:
    """Check that sparse data and mask have equal indices.

    Raises:
        ValueError: If they have not.
    """
    if same_indices(data, mask):
        return
    if data.layout == torch.sparse_coo:
        raise ValueError(
            "data and mask are both sparse COO tensors but do not have the same indices."
        )
    raise ValueError(
        "data and mask are both sparse CSR tensors but do not share either crow or col indices."
    )


def same_indices(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors of a layout have equal indices; strided ones have none."""
    return all(torch.equal(x, y) for x, y in zip(_indices(a), _indices(b), strict=True))


def same_masks(a: Tensor, b: Tensor) -> bool:
    """Return whether two masks are equal.

    Raises:
        ValueError: If their layouts differ.
    """
    if a.layout != b.layout:
        raise ValueError(f"`a` and `b` must have the same layout. Got {a.layout} and {b.layout}")
    if a.layout == torch.strided:
        return a.dim() == b.dim() and bool(torch.eq(a, b).all())
    return same_indices(a, b) and torch.equal(a.values(), b.values())


def on_values(tensor: Tensor, function: Callable[[Tensor], Any]) -> Tensor:
    """Return a tensor with the same indices and a function of the values."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce()
        return torch.sparse_coo_tensor(tensor.indices(), function(tensor.values()), tensor.size())
    if tensor.layout == torch.sparse_csr:
        values = function(tensor.values())
        crow, col = _indices(tensor)
        return torch.sparse_csr_tensor(crow, col, values, tensor.size())
    return function(tensor)  # type: ignore[no-any-return]


def _indices(tensor: Tensor) -> tuple[Tensor, ...]:
    if tensor.layout == torch.sparse_coo:
        return (tensor.indices(),)
    if tensor.layout == torch.sparse_csr:
        return tensor.crow_indices(), tensor.col_indices()
    return ()
