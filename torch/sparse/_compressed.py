"""Tensors of the compressed layouts torch.sparse_csr, sparse_csc, sparse_bsr and sparse_bsc.

The elements of a row (of a column, for csc and bsc) lie together. For n rows, the n + 1 compressed
indices say where those of each row begin and end; the plain indices are their columns. In bsr and
bsc an index is that of a block of elements. Leading batch dimensions hold matrices with equally many
elements; trailing dense dimensions belong to each value.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch._sparse_methods import of_layout
from torch.sparse._base import SparseBase, ToDense, look_up, tracked, values_of
from torch.sparse._layouts import CompressedLayout, layout_name

Tensor = torch.Tensor


class CompressedTensor(SparseBase):
    """A tensor of a compressed layout; `torch.sparse_compressed_tensor` creates it."""

    _kind: CompressedLayout
    _parts: tuple[Tensor, Tensor, Tensor]  # compressed indices, plain indices, values
    _known_lines: tuple[int, Tensor] | None = None  # see `_lines`

    _impl_name = "SparseCsrTensorImpl"
    is_sparse = False  # type: ignore[assignment]

    @property
    def layout(self) -> torch.layout:  # type: ignore[override]
        """The layout."""
        return self._kind.layout

    @property
    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Whether the layout is torch.sparse_csr."""
        return self._kind.layout is torch.sparse_csr

    @property
    def _raw_values(self) -> Tensor:
        return self._parts[2]

    def _named_indices(self) -> dict[str, Tensor]:
        return dict(
            zip((self._kind.compressed_name, self._kind.plain_name), self._parts[:2], strict=True)
        )

    def _with_values(self, values: Tensor) -> CompressedTensor:
        found = wrapped(self._kind, *self._parts[:2], values, self.shape)
        found._known_lines = self._known_lines
        return found

    def _of_dense(self, dense: Tensor) -> Any:
        blocks = self._blocksize if self._kind.has_blocks else None
        return dense.to_sparse(layout=self.layout, blocksize=blocks, dense_dim=self.dense_dim())  # type: ignore[call-arg]

    def _values_at_indices(self, source: Any) -> Tensor:
        return values_at(source, self)

    def _adopt(self, other: Any) -> Any:
        self._parts, self._known_lines = other._parts, other._known_lines
        return self

    def _mapped(self, on_indices: Any, on_values: Any) -> CompressedTensor:
        compressed, plain, values = self._parts
        parts = (on_indices(compressed), on_indices(plain), on_values(values))
        return wrapped(self._kind, *parts, self.shape)

    def _emptied(self) -> CompressedTensor:
        compressed, plain, values = self._parts
        values = values.narrow(len(self._batch), 0, 0)
        parts = (torch.zeros_like(compressed), plain[..., :0], values)
        return wrapped(self._kind, *parts, self.shape)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle indices, values and size."""
        from torch import _utils

        compressed, plain, values = self._parts
        state = (compressed, plain, values.detach(), self.shape)
        return _utils._rebuild_sparse_tensor, (self.layout, state)

    @property
    def _batch(self) -> torch.Size:
        return self._parts[0].shape[:-1]

    @property
    def _blocksize(self) -> tuple[int, int]:
        if not self._kind.has_blocks:
            return 1, 1
        first = len(self._batch) + 1
        return self._raw_values.size(first), self._raw_values.size(first + 1)

    @property
    def _grid(self) -> tuple[int, int]:
        """The numbers of rows and of columns of blocks."""
        first = len(self._batch)
        height, width = self._blocksize
        return self.size(first) // max(height, 1), self.size(first + 1) // max(width, 1)

    @of_layout
    def _nnz(self) -> int:
        return self._parts[1].size(-1)

    @of_layout
    def sparse_dim(self) -> int:
        """Return the number of dimensions that the indices cover, which is 2."""
        return 2

    @of_layout
    def dense_dim(self) -> int:
        """Return the number of dimensions of each value that are not those of a block."""
        return self._raw_values.dim() - len(self._batch) - 1 - self._kind.block_dims

    def _indices_of(self, by_rows: bool, name: str) -> Tensor:
        if self._kind.by_rows != by_rows:
            raise RuntimeError(
                f"{name} expected sparse {'row' if by_rows else 'column'} compressed tensor "
                f"layout but got {layout_name(self)}"
            )
        return self._named_indices()[name]

    @of_layout
    def crow_indices(self) -> Tensor:
        """Return where the elements of each row begin and end, (*batch, rows + 1)."""
        return self._indices_of(True, "crow_indices")

    @of_layout
    def col_indices(self) -> Tensor:
        """Return the column of each element, (*batch, nnz)."""
        return self._indices_of(True, "col_indices")

    @of_layout
    def ccol_indices(self) -> Tensor:
        """Return where the elements of each column begin and end, (*batch, columns + 1)."""
        return self._indices_of(False, "ccol_indices")

    @of_layout
    def row_indices(self) -> Tensor:
        """Return the row of each element, (*batch, nnz)."""
        return self._indices_of(False, "row_indices")

    @of_layout
    def values(self) -> Tensor:
        """Return the values, (*batch, nnz, *blocksize, *dense)."""
        return values_of(self)

    @of_layout
    def to_dense(self, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
        """Return a dense tensor with the same elements."""
        if dtype is None and masked_grad is False and self.requires_grad:
            return ToDense.apply(self)  # type: ignore[no-any-return]
        values = flat_values(self)
        values = values if dtype is None else values.to(dtype)
        (rows, columns), (height, width) = self._grid, self._blocksize
        places = coordinates(self)
        count, dense = math.prod(self._batch), values.shape[1 + self._kind.block_dims :]
        tiles = values.new_zeros((count, rows, columns, height, width, *dense)).index_put(
            tuple(places), values.reshape(-1, height, width, *dense)
        )
        return tiles.transpose(2, 3).reshape(self.shape)

    def is_contiguous(self, *format: Any, **options: Any) -> bool:
        """Raise an error: elements have no place in memory of their own."""
        raise RuntimeError(f"{self._upper_name()} tensors do not have is_contiguous")

    def stride(self, *dim: Any) -> Any:
        """Raise an error: elements have no place in memory of their own."""
        raise RuntimeError(f"{self._upper_name()} tensors do not have strides")

    def _upper_name(self) -> str:
        return f"Sparse {self._kind.short_name.upper()}"


class Coordinates(NamedTuple):
    """The matrix of the batch, the row and the column of each element or block, (batch * nnz,)."""

    batch: Tensor
    row: Tensor
    column: Tensor


def wrapped(
    kind: CompressedLayout, compressed: Tensor, plain: Tensor, values: Tensor, size: Any
) -> CompressedTensor:
    """Create a sparse tensor that no graph tracks."""
    found: CompressedTensor = Tensor._make_wrapper_subclass(
        CompressedTensor, size, dtype=values.dtype, device=values.device
    )
    found._kind, found._parts = kind, (compressed, plain, values)
    return found


def make(
    kind: CompressedLayout, compressed: Tensor, plain: Tensor, values: Tensor, size: Any
) -> Any:
    """Create a sparse tensor; gradients flow to the values."""
    return tracked(wrapped(kind, compressed, plain, values.detach(), size), values)


def flat_values(tensor: Any) -> Tensor:
    """Return the values with the batch dimensions joined with that of the elements."""
    return values_of(tensor).flatten(0, len(tensor._batch))


def coordinates(tensor: Any) -> Coordinates:
    """Return where the elements are; the batch and the compressed dimension ascend."""
    line, plain = _lines(tensor), tensor._parts[1].reshape(-1).to(torch.int64)
    if tensor._batch:
        count = max(tensor._parts[0].size(-1) - 1, 1)
        batch = line.div(count, rounding_mode="floor")
        line = line - batch * count
    else:
        batch = line.new_zeros(()).expand_as(line)
    return Coordinates(batch, *((line, plain) if tensor._kind.by_rows else (plain, line)))


def _lines(tensor: Any) -> Tensor:
    """Return the compressed line of each element, counted through the batch.

    Iterations multiply by the same matrix many times, so a tensor keeps the result until its
    compressed indices change.
    """
    compressed = tensor._parts[0]
    if tensor._known_lines is None or tensor._known_lines[0] != compressed._version:
        counts = compressed.diff(dim=-1).reshape(-1).to(torch.int64)
        line = torch.repeat_interleave(torch.arange(counts.numel(), device=counts.device), counts)
        tensor._known_lines = (compressed._version, line)
    return tensor._known_lines[1]  # type: ignore[no-any-return]


def keys_of(kind: CompressedLayout, places: Coordinates, grid: tuple[int, int]) -> Tensor:
    """Return numbers that order elements as a layout does."""
    rows, columns = grid
    if kind.by_rows:
        return (places.batch * rows + places.row) * columns + places.column
    return (places.batch * columns + places.column) * rows + places.row


def flat_keys(tensor: Any) -> Tensor:
    """Return the place of each element in the order of the tensor's layout."""
    return keys_of(tensor._kind, coordinates(tensor), tensor._grid)


def from_keys(
    kind: CompressedLayout,
    keys: Tensor,
    values: Tensor,
    size: Any,
    batch: Any = (),
    index_dtype: torch.dtype = torch.int64,
) -> Any:
    """Create a tensor from the ascending keys of its elements.

    Args:
        kind: The layout.
        keys: What `keys_of` returns, (batch * nnz,).
        values: The values, (batch * nnz, *blocksize, *dense).
        size: The size of the tensor.
        batch: The batch dimensions.
        index_dtype: The dtype of the indices.

    Raises:
        RuntimeError: If matrices of the batch have different numbers of elements.
    """
    height, width = values.shape[1:3] if kind.has_blocks else (1, 1)
    rows, columns = size[len(batch)] // height, size[len(batch) + 1] // width
    lines, length = (rows, columns) if kind.by_rows else (columns, rows)
    count = math.prod(batch)
    line = keys.div(max(length, 1), rounding_mode="floor")
    ends = torch.bincount(line, minlength=count * lines).reshape(count, lines).cumsum(1)
    compressed = torch.cat([ends.new_zeros((count, 1)), ends], 1)
    nnz = keys.numel() // max(count, 1)
    if count > 1 and bool((compressed[:, -1] != nnz).any()):
        raise RuntimeError("Expect the same number of specified elements per batch.")
    return make(
        kind,
        compressed.reshape(*batch, lines + 1).to(index_dtype),
        (keys - line * length).reshape(*batch, nnz).to(index_dtype),
        values.reshape(*batch, nnz, *values.shape[1:]),
        size,
    )


def has_indices_of(a: Any, b: Any) -> bool:
    """Return whether two tensors have the same layout and the same indices."""
    return (
        isinstance(a, CompressedTensor)
        and a._kind is b._kind
        and a._blocksize == b._blocksize
        and all(
            x is y or (x.shape == y.shape and bool((x == y).all()))
            for x, y in zip(a._parts[:2], b._parts[:2], strict=True)
        )
    )


def values_at(source: Any, mask: Any) -> Tensor:
    """Return the values of a tensor at the indices of a compressed one; zero where it has none."""
    if has_indices_of(source, mask):
        return values_of(source)
    blocks = mask._blocksize if mask._kind.has_blocks else None
    if isinstance(source, SparseBase):
        alike: Any = source.to_sparse(layout=mask.layout, blocksize=blocks)  # type: ignore[call-arg]
        found = look_up(flat_keys(alike), flat_values(alike), flat_keys(mask))
        return found.reshape(mask._raw_values.shape)
    (rows, columns), (height, width) = mask._grid, mask._blocksize
    dense = source.shape[len(mask._batch) + 2 :]
    count = math.prod(mask._batch)
    tiles = source.reshape(count, rows, height, columns, width, *dense).transpose(2, 3)
    return tiles[tuple(coordinates(mask))].reshape(mask._raw_values.shape)
