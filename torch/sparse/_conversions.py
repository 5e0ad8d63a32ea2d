"""Conversions of tensors to and among the sparse layouts."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.sparse import _tensor as coo
from torch.sparse._base import SparseBase, tracked, values_of
from torch.sparse._compressed import (
    CompressedTensor,
    Coordinates,
    coordinates,
    flat_keys,
    flat_values,
    from_keys,
    has_indices_of,
    keys_of,
)
from torch.sparse._layouts import COMPRESSED, CompressedLayout, layout_name
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor


def to_sparse(
    tensor: Any,
    sparse_dim: int | None = None,
    *,
    layout: torch.layout | None = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:
    """Convert a tensor to a sparse layout; see `torch.Tensor.to_sparse`."""
    if layout is torch.strided:
        return tensor.to_dense()
    target = COMPRESSED.get(layout)  # type: ignore[arg-type]
    if layout not in (None, torch.sparse_coo) and target is None:
        raise RuntimeError(f"to_sparse: conversion to {layout} is not supported")
    step = _Conversion(tensor, target)
    step.check_dimensions(sparse_dim, dense_dim)
    blocks = step.checked_blocks(blocksize, dense_dim or 0)
    if target is None:
        if isinstance(tensor, CompressedTensor):
            return _compressed_to_coo(tensor)
        return tensor if isinstance(tensor, SparseBase) else _coo_of(tensor, sparse_dim, dense_dim)
    if isinstance(tensor, coo.SparseTensor):
        return _coo_to_compressed(tensor, target, blocks)
    if isinstance(tensor, CompressedTensor):
        return tensor if tensor._kind is target else _recompressed(tensor, target, blocks)
    return _compressed_of(tensor, target, blocks, dense_dim or 0)


class _Conversion:
    """Checks the arguments of a conversion from a tensor's layout to another."""

    def __init__(self, tensor: Any, target: CompressedLayout | None) -> None:
        self.tensor, self.target = tensor, target
        self.source_name = layout_name(tensor)
        self.target_name = target.name if target else "Sparse"
        if not isinstance(tensor, SparseBase):
            self.function = "dense_to_sparse"
        elif self.source_name == self.target_name:
            self.function = "to_sparse"
        elif isinstance(tensor, CompressedTensor):
            self.function = "sparse_compressed_to_sparse"
        else:
            self.function = "sparse_coo_to_sparse"

    def refuse(self, reason: str) -> None:
        """Raise the error that a pair of layouts has no such conversion."""
        raise RuntimeError(
            f"{self.function}: conversion from {self.source_name} to {self.target_name} "
            f"{reason} is not supported"
        )

    def check_dimensions(self, sparse_dim: int | None, dense_dim: int | None) -> None:
        """Check how many dimensions are to be sparse and dense."""
        tensor = self.tensor
        if isinstance(tensor, SparseBase):
            if dense_dim is not None:
                self.refuse("with dense_dim argument given")
            if sparse_dim not in (None, tensor.sparse_dim()):
                known = "2" if isinstance(tensor, CompressedTensor) else "self.sparse_dim()"
                self.refuse(f"with sparse_dim argument !={known}")
        elif self.target is not None:
            most = tensor.dim() - 2
            if most < 0:
                raise IndexError(
                    f"{self.function}: expected a matrix, got {tensor.dim()} dimensions"
                )
            if not 0 <= (dense_dim or 0) <= most:
                raise RuntimeError(
                    f"{self.function}: dense_dim argument must be in [0,{most}] range, but "
                    f"{dense_dim} is given"
                )

    def checked_blocks(self, blocksize: Any, dense_dim: int) -> tuple[int, int]:
        """Return the size of blocks, which only layouts with blocks have."""
        if self.target is None or not self.target.has_blocks:
            if blocksize is not None:
                self.refuse("with blocksize argument given")
            return 1, 1
        if blocksize is None:
            self.refuse("without blocksize argument given")
        blocks = (blocksize, blocksize) if isinstance(blocksize, int) else tuple(blocksize)
        function = "coo_to_sparse" if self.source_name == "Sparse" else self.function
        name = f"{function}_{self.target.short_name}"
        if len(blocks) != 2:
            raise RuntimeError(
                f"{name}: blocksize needs to be a tuple of size 2, but got {len(blocks)}"
            )
        if min(blocks) <= 0:
            raise RuntimeError(f"{name}: blocksize needs to be positive, but got {list(blocks)}")
        tensor = self.tensor
        if isinstance(tensor, CompressedTensor) and tensor._kind.has_blocks:
            if tensor._blocksize != blocks:
                self.refuse(
                    f"with blocksize changed from {list(tensor._blocksize)} to {list(blocks)}"
                )
            return blocks
        if isinstance(tensor, CompressedTensor) and tensor._batch:
            self.refuse("for batched inputs")
        if isinstance(tensor, SparseBase):
            dense_dim = tensor.dense_dim()
        first = tensor.dim() - dense_dim - 2
        rows, columns = tensor.shape[first : first + 2]
        if rows % blocks[0] or columns % blocks[1]:
            raise RuntimeError(
                f"{name}: tensor sparse size ({rows},{columns}) must be divisible by given "
                f"blocksize ({blocks[0]},{blocks[1]})"
            )
        return blocks


def _coo_of(tensor: Tensor, sparse_dim: int | None, dense_dim: int | None) -> Any:
    """Return the elements of a dense tensor that are not zero, with their indices."""
    if sparse_dim is None and dense_dim is not None:
        sparse_dim = tensor.dim() - dense_dim
    count = tensor.dim() if sparse_dim is None else sparse_dim
    if not 0 <= count <= tensor.dim():
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{tensor.dim()}] range, but "
            f"{count} is given"
        )
    if count == 0 and tensor.dim():
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    filled = tensor != 0
    if count < tensor.dim():
        filled = filled.flatten(count).any(-1)
    indices = filled.nonzero().t().contiguous()
    values = tensor[tuple(indices)] if count else tensor.reshape(1)[: indices.size(1)]
    return coo.make(indices, values, tensor.shape, coalesced=True)


def _compressed_of(
    tensor: Tensor, kind: CompressedLayout, blocks: tuple[int, int], dense_dim: int
) -> Any:
    """Return the elements, or blocks with elements, of a dense tensor that are not zero."""
    split = tensor.dim() - 2 - dense_dim
    batch, (rows, columns) = tensor.shape[:split], tensor.shape[split : split + 2]
    if math.prod(batch) == 0:
        raise RuntimeError(
            f"to_sparse_{kind.short_name}: Expected product of batch dimensions to be non-zero."
        )
    dense, (height, width) = tensor.shape[split + 2 :], blocks
    grid = rows // height, columns // width
    tiles = tensor.reshape(math.prod(batch), grid[0], height, grid[1], width, *dense)
    tiles = tiles.transpose(2, 3)
    filled = (tiles != 0).reshape(*tiles.shape[:3], height * width * math.prod(dense)).any(-1)
    if kind.by_rows:
        places = Coordinates(*filled.nonzero().unbind(1))
    else:
        matrix, column, row = filled.transpose(1, 2).nonzero().unbind(1)
        places = Coordinates(matrix, row, column)
    values = tiles[tuple(places)]
    if not kind.has_blocks:
        values = values.flatten(1, 2).squeeze(1)
    return from_keys(kind, keys_of(kind, places, grid), values, tensor.shape, batch)


def _sorted(
    kind: CompressedLayout,
    places: Coordinates,
    values: Tensor,
    size: Any,
    batch: Any,
    grid: tuple[int, int],
    index_dtype: torch.dtype,
) -> Any:
    """Return a tensor of elements, or blocks, that are in any order."""
    keys, order = keys_of(kind, places, grid).sort(stable=True)
    return from_keys(kind, keys, values.index_select(0, order), size, batch, index_dtype)


def _coo_to_compressed(tensor: Any, kind: CompressedLayout, blocks: tuple[int, int]) -> Any:
    if tensor.sparse_dim() != 2:
        raise RuntimeError(
            f"coo_to_sparse_{kind.short_name}: conversion from Sparse to {kind.name} for input "
            "tensors with sparse_dim()!=2 is not supported"
        )
    tensor = tensor.coalesce()
    row, column = tensor._pairs[0]
    places = Coordinates(torch.zeros_like(row), row, column)
    values, grid = values_of(tensor), (tensor.size(0), tensor.size(1))
    if kind.has_blocks:
        return _blocked(places, values, kind, blocks, tensor.shape, torch.int64)
    return _sorted(kind, places, values, tensor.shape, (), grid, torch.int64)


def _recompressed(tensor: Any, kind: CompressedLayout, blocks: tuple[int, int]) -> Any:
    """Convert between compressed layouts."""
    source: CompressedLayout = tensor._kind
    if source.has_blocks and not kind.has_blocks:
        raise RuntimeError(
            f"sparse_compressed_to_sparse_{kind.short_name}: expected SparseCsr or SparseCsc "
            f"layout but got {source.name}"
        )
    index_dtype = tensor._parts[0].dtype
    if kind.has_blocks and not source.has_blocks:
        values = flat_values(tensor)
        return _blocked(coordinates(tensor), values, kind, blocks, tensor.shape, index_dtype)
    return _sorted(
        kind,
        coordinates(tensor),
        flat_values(tensor),
        tensor.shape,
        tensor._batch,
        tensor._grid,
        index_dtype,
    )


def _blocked(
    places: Coordinates,
    values: Tensor,
    kind: CompressedLayout,
    blocks: tuple[int, int],
    size: Any,
    index_dtype: torch.dtype,
) -> Any:
    """Collect the elements of a matrix in blocks."""
    height, width = blocks
    row = places.row.div(height, rounding_mode="floor")
    column = places.column.div(width, rounding_mode="floor")
    grid = size[0] // height, size[1] // width
    keys, block = torch.unique(
        keys_of(kind, Coordinates(places.batch, row, column), grid), return_inverse=True
    )
    inside = (block, places.row - row * height, places.column - column * width)
    filled = values.new_zeros((keys.numel(), height, width, *values.shape[1:]))
    return from_keys(kind, keys, filled.index_put(inside, values), size, index_dtype=index_dtype)


def _compressed_to_coo(tensor: Any) -> Any:
    places, values = coordinates(tensor), flat_values(tensor)
    row, column, matrix = places.row, places.column, places.batch
    if tensor._kind.has_blocks:
        height, width = tensor._blocksize
        spread = [each.reshape(-1, 1, 1).expand(-1, height, width) for each in places]
        down = torch.arange(height, device=row.device).reshape(-1, 1)
        along = torch.arange(width, device=row.device)
        matrix = spread[0].reshape(-1)
        row = (spread[1] * height + down).reshape(-1)
        column = (spread[2] * width + along).reshape(-1)
        values = values.flatten(0, 2)
    batch = coo.unflat_indices(matrix, tensor._batch)
    indices = torch.cat([batch, torch.stack([row, column])])
    in_order = tensor._kind.layout is torch.sparse_csr
    return coo.make(indices, values, tensor.shape, coalesced=in_order)


def sparse_mask(tensor: Any, mask: Any) -> Any:
    """Return the elements of a tensor at the indices of a sparse one; see `Tensor.sparse_mask`."""
    if not isinstance(mask, SparseBase):
        raise could_not_run("aten::sparse_mask", [mask])
    if isinstance(tensor, CompressedTensor) and tensor.layout is not mask.layout:
        raise RuntimeError(
            "sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got "
            f"{layout_name(mask)}"
        )
    if tensor.shape != mask.shape:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(tensor.shape)} but mask has size {list(mask.shape)}"
        )
    pattern: Any = mask
    if isinstance(tensor, CompressedTensor) and not has_indices_of(tensor, mask):
        return _intersection(tensor, pattern)
    return tracked(pattern, pattern._values_at_indices(tensor))


def _intersection(tensor: Any, mask: Any) -> Any:
    """Return the elements of a tensor that another one of its layout has, too."""
    keys = flat_keys(tensor)
    kept = torch.isin(keys, flat_keys(mask)).nonzero().squeeze(1)
    values = flat_values(tensor).index_select(0, kept)
    return from_keys(
        tensor._kind, keys[kept], values, tensor.shape, tensor._batch, tensor._parts[0].dtype
    )
