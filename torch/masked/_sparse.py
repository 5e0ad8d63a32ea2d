"""Masked reductions of sparse tensors, whose results have elements where the mask keeps any."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.masked._arguments import Dims, broadcast_mask, canonical_dims
from torch.sparse._compressed import CompressedTensor, from_keys
from torch.sparse._tensor import flat_indices, make, masked_by, unflat_indices


def reduce(
    name: str,
    input: Tensor,
    dim: Dims,
    keepdim: bool,
    dtype: torch.dtype,
    mask: Tensor | None,
    identity: float,
) -> Tensor:
    """Reduce the elements of a sparse tensor that a mask keeps; kept ones that it lacks are 0.

    Args:
        name: "sum", "prod", "amax" or "amin"; also "mean" of a tensor in the layout sparse_csr.
        input: A tensor of the layout sparse_coo or sparse_csr; the result has its layout.
        dim: The dimensions to reduce; all if None.
        keepdim: Whether those dimensions stay, with size 1; required for sparse_csr.
        dtype: The dtype of the result.
        mask: True for elements to keep; it broadcasts to the input. Only a sum needs none.
        identity: The result of no elements.

    Raises:
        ValueError: If there is no rule for the layout, or no mask.
        RuntimeError: If `keepdim` is False for sparse_csr.
    """
    _check(name, input, mask, keepdim)
    dims = canonical_dims(dim, input.ndim)
    if mask is None:
        total = torch.sum(input, dims, keepdim, dtype=dtype)
        return total.to_sparse() if total.layout is torch.strided else total
    pattern = _pattern(input, mask)
    values = masked_by(input, pattern).to(dtype)
    # A result is known by the indices of its elements with 0 in the dimensions that are reduced.
    sizes = [1 if each in dims else size for each, size in enumerate(input.shape)]
    indices = pattern._pairs[0].clone()
    indices[list(dims)] = 0
    keys = flat_indices(make(indices, values, sizes, coalesced=False))
    if len(dims) == input.ndim and input.layout is torch.sparse_coo:
        total = _by_key(name, keys, values, 1, identity)
        return total.reshape(sizes if keepdim else ()).to_sparse()
    distinct, places = torch.unique(keys, return_inverse=True)
    totals = _by_key(name, places, values, distinct.numel(), identity)
    if isinstance(input, CompressedTensor):
        return from_keys(input._kind, distinct, totals, sizes, (), input._parts[0].dtype)  # type: ignore[no-any-return]
    kept = [each for each in range(input.ndim) if keepdim or each not in dims]
    rows = unflat_indices(distinct, sizes)[kept]
    return make(rows, totals, [sizes[each] for each in kept], coalesced=False)  # type: ignore[no-any-return]


def _check(name: str, input: Tensor, mask: Tensor | None, keepdim: bool) -> None:
    layout = input.layout
    if name == "mean" and layout is not torch.sparse_csr:
        raise ValueError(f"masked mean expects strided or sparse_csr tensor (got {layout} tensor)")
    if layout not in (torch.sparse_coo, torch.sparse_csr):
        raise ValueError(
            f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {layout}"
        )
    short = str(layout).removeprefix("torch.")
    if mask is None and name != "sum":
        raise ValueError(f"masked {name} expects explicit mask for {short} tensor input")
    if mask is not None and (input.dense_dim() or (input.ndim != 2 and short == "sparse_csr")):
        raise ValueError(
            f"masked {name} expects no batch and no dense dimensions in sparse tensors"
        )
    if layout is torch.sparse_csr and not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")


def _pattern(input: Tensor, mask: Tensor) -> Any:
    """Return a sparse tensor with an element where the mask keeps one."""
    return broadcast_mask(input, mask).to_sparse()


def _by_key(name: str, keys: Tensor, values: Tensor, count: int, identity: float) -> Tensor:
    """Reduce the values that have the same key, a number below `count`."""
    start = values.new_full((count,), identity)
    if name == "mean":
        totals = start.index_add(0, keys, values)
        return totals / torch.bincount(keys, minlength=count)
    return start.scatter_reduce(0, keys, values, name)
