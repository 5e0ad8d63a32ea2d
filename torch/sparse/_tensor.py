"""Tensors of the layout torch.sparse_coo: the indices of some elements, and their values."""

from __future__ import annotations

from typing import Any

import torch
from torch._sparse_methods import of_layout
from torch.sparse._base import SparseBase, ToDense, look_up, sum_by_key, tracked, values_of

Tensor = torch.Tensor


class SparseTensor(SparseBase):
    """A tensor of the layout torch.sparse_coo; `torch.sparse_coo_tensor` creates it."""

    _pairs: tuple[Tensor, Tensor]
    _coalesced: bool

    _impl_name = "SparseTensorImpl"
    is_sparse = True  # type: ignore[assignment]
    layout = torch.sparse_coo  # type: ignore[assignment]

    @property
    def _raw_values(self) -> Tensor:
        return self._pairs[1]

    def _named_indices(self) -> dict[str, Tensor]:
        return {"indices": self._pairs[0]}

    def _with_values(self, values: Tensor) -> SparseTensor:
        return wrapped(self._pairs[0], values, self._size_with(values), self._coalesced)

    def _size_with(self, values: Tensor) -> Any:
        return (*self.shape[: self.sparse_dim()], *values.shape[1:])

    def _as_gradient(self, values: Tensor) -> Any:
        # Values at equal indices have equal gradients: that of their sum.
        if self._coalesced:
            return tracked(self, values)
        keys, order = flat_indices(self).sort(stable=True)
        first = torch.ones_like(keys, dtype=torch.bool)
        first[1:] = keys[1:] != keys[:-1]
        places = order[first]
        indices, values = self._pairs[0].index_select(1, places), values.index_select(0, places)
        return make(indices, values, self._size_with(values), coalesced=True)

    def _of_dense(self, dense: Tensor) -> Any:
        return dense.to_sparse(self.sparse_dim())

    def _values_at_indices(self, source: Any) -> Tensor:
        return masked_by(source, self)

    def _adopt(self, other: Any) -> Any:
        self._pairs, self._coalesced = other._pairs, other._coalesced
        return self

    def _mapped(self, on_indices: Any, on_values: Any) -> SparseTensor:
        indices, values = self._pairs
        return wrapped(on_indices(indices), on_values(values), self.shape, self._coalesced)

    def _emptied(self) -> SparseTensor:
        indices, values = self._pairs
        return wrapped(indices[:, :0], values[:0], self.shape, True)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle indices, values and size."""
        from torch import _utils

        indices, values = self._pairs
        state = (indices, values.detach(), self.shape, self._coalesced)
        return _utils._rebuild_sparse_tensor, (torch.sparse_coo, state)

    @of_layout
    def _indices(self) -> Tensor:
        return self._pairs[0]

    @of_layout
    def _values(self) -> Tensor:
        return self._pairs[1].detach()

    @of_layout
    def _nnz(self) -> int:
        return self._pairs[0].size(1)

    @of_layout
    def sparse_dim(self) -> int:
        """Return the number of dimensions that the indices cover."""
        return self._pairs[0].size(0)

    @of_layout
    def dense_dim(self) -> int:
        """Return the number of dimensions of each value."""
        return self._pairs[1].dim() - 1

    @of_layout
    def is_coalesced(self) -> bool:
        """Return whether the indices are sorted and distinct."""
        return self._coalesced

    @of_layout
    def _coalesced_(self, coalesced: bool) -> Tensor:
        self._coalesced = coalesced
        return self

    @of_layout
    def indices(self) -> Tensor:
        """Return the indices of a coalesced tensor, (sparse_dim, nnz)."""
        self._require_coalesced("indices")
        return self._pairs[0]

    @of_layout
    def values(self) -> Tensor:
        """Return the values of a coalesced tensor, (nnz, ...)."""
        self._require_coalesced("values")
        return values_of(self)

    def _require_coalesced(self, what: str) -> None:
        if not self._coalesced:
            raise RuntimeError(
                f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first"
            )

    @of_layout
    def coalesce(self) -> Tensor:
        """Return the tensor with sorted indices, and the values of equal ones added up."""
        if self._coalesced:
            return self
        indices, values = self._pairs[0], values_of(self)
        keys, summed = sum_by_key(flat_indices(self), values)
        distinct = unflat_indices(keys, self.shape[: self.sparse_dim()])
        return make(distinct.to(indices.device), summed, self.shape, coalesced=True)

    @of_layout
    def to_dense(self, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
        """Return a dense tensor with the same elements."""
        if dtype is not None:
            raise RuntimeError("dtype argument is not supported by sparse_to_dense")
        if masked_grad is False and self.requires_grad and torch.is_grad_enabled():
            return ToDense.apply(self)  # type: ignore[no-any-return]
        indices, values = self._pairs[0], values_of(self)
        zeros = torch.zeros(self.shape, dtype=values.dtype, device=values.device)
        if not self.sparse_dim():
            return (
                values.any(0) if values.dtype == torch.bool else values.sum(0, dtype=values.dtype)
            )
        if values.dtype == torch.bool:
            counts = zeros.to(torch.int64).index_put(tuple(indices), values.long(), accumulate=True)
            return counts != 0
        return zeros.index_put(tuple(indices), values, accumulate=True)

    @of_layout
    def sparse_resize_(self, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
        """Change the size; see `torch.Tensor.sparse_resize_`."""
        check_resize(self, size, sparse_dim, dense_dim)
        indices, values = self._pairs
        if not self._nnz():
            return self.sparse_resize_and_clear_(size, sparse_dim, dense_dim)
        larger = values.new_zeros((self._nnz(), *size[sparse_dim:]))
        larger[tuple(slice(n) for n in values.shape)] = values.detach()
        return self._replace(indices, larger, size, self._coalesced)

    @of_layout
    def sparse_resize_and_clear_(self, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
        """Remove all elements and change the size."""
        _check_dimensions(size, sparse_dim, dense_dim)
        indices, values = self._pairs
        indices, values = (
            indices.new_zeros((sparse_dim, 0)),
            values.new_zeros((0, *size[sparse_dim : sparse_dim + dense_dim])),
        )
        return self._replace(indices, values, size, True)

    def _replace(self, indices: Tensor, values: Tensor, size: Any, coalesced: bool) -> Tensor:
        return self._become(wrapped(indices, values, size, coalesced))

    def is_contiguous(self, *format: Any, **options: Any) -> bool:
        """Return whether the tensor is coalesced."""
        return self._coalesced

    def stride(self, *dim: Any) -> Any:
        """Return zeros: elements have no place in memory of their own."""
        return 0 if dim else (0,) * self.dim()


def _check_dimensions(size: Any, sparse_dim: int, dense_dim: int) -> None:
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(size)}, sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )


def check_resize(tensor: Any, size: Any, sparse_dim: int, dense_dim: int) -> None:
    """Check that a tensor's elements fit into another size.

    Raises:
        RuntimeError: If the size has other numbers of dimensions, or one of them shrinks.
    """
    _check_dimensions(size, sparse_dim, dense_dim)
    if not tensor._nnz():
        return
    split = tensor.sparse_dim()
    for what, before, after in (
        ("sparse", split, sparse_dim),
        ("dense", tensor.dense_dim(), dense_dim),
    ):
        if before != after:
            raise RuntimeError(
                f"changing the number of {what} dimensions (from {before} to {after}) on a "
                "non-empty sparse tensor is not supported."
            )
    for what, part in (("sparse", slice(split)), ("dense", slice(split, None))):
        old, new = list(tensor.shape[part]), list(size[part])
        if any(n < m for m, n in zip(old, new, strict=True)):
            raise RuntimeError(
                f"shrinking the size of {what} dimensions (from {old} to {new}) on a non-empty "
                "sparse tensor is not supported."
            )


def wrapped(indices: Tensor, values: Tensor, size: Any, coalesced: bool) -> SparseTensor:
    """Create a sparse tensor that no graph tracks."""
    found: SparseTensor = Tensor._make_wrapper_subclass(
        SparseTensor, size, dtype=values.dtype, device=values.device
    )
    found._pairs = indices, values
    found._coalesced = coalesced or values.size(0) < 2
    return found


def make(indices: Tensor, values: Tensor, size: Any, *, coalesced: bool) -> Any:
    """Create a sparse tensor; gradients flow to the values."""
    return tracked(wrapped(indices, values.detach(), size, coalesced), values)


def flat_indices(tensor: Any) -> Tensor:
    """Return the position of each index among the elements in row-major order."""
    flat = torch.zeros(tensor._nnz(), dtype=torch.int64, device=tensor._pairs[0].device)
    for row, size in zip(tensor._pairs[0], tensor.shape, strict=False):
        flat = flat * size + row
    return flat


def unflat_indices(flat: Tensor, sizes: Any) -> Tensor:
    """Return the indices of positions in row-major order."""
    rows = []
    for size in reversed(sizes):
        rows.append(flat % max(size, 1))
        flat = flat.div(max(size, 1), rounding_mode="floor")
    if not rows:
        return flat.new_zeros((0, flat.numel()))
    return torch.stack(rows[::-1])


def masked_by(dense_or_sparse: Any, mask: Any) -> Tensor:
    """Return the values of a tensor at the indices of a sparse one; zero where it has none."""
    indices = mask._pairs[0]
    if isinstance(dense_or_sparse, SparseBase) and not isinstance(dense_or_sparse, SparseTensor):
        dense_or_sparse = dense_or_sparse.to_sparse()
    if not isinstance(dense_or_sparse, SparseTensor):
        # Without sparse dimensions, each element of the mask is the whole tensor.
        rows = (*indices,) if len(indices) else indices.new_zeros(indices.size(1))
        source = dense_or_sparse if len(indices) else dense_or_sparse.unsqueeze(0)
        return source[rows]  # type: ignore[no-any-return]
    if dense_or_sparse._pairs[0] is indices or (
        dense_or_sparse._pairs[0].shape == indices.shape
        and torch.equal(dense_or_sparse._pairs[0], indices)
        and mask._coalesced
    ):
        return values_of(dense_or_sparse)
    source: Any = dense_or_sparse.coalesce()
    return look_up(flat_indices(source), values_of(source), flat_indices(mask))
