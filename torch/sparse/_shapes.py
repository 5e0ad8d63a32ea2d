"""Functions that move, select and join the elements of sparse tensors in coordinate format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._composites import wrapped_axis
from torch.sparse._base import values_of
from torch.sparse._layouts import layout_name
from torch.sparse._tensor import SparseTensor, make

Tensor = torch.Tensor


# ---- orders of dimensions -----------------------------------------------------------------------


def transpose(a: Any, dim0: int, dim1: int) -> Any:
    """Exchange two sparse dimensions."""
    first, second = (wrapped_axis(dim, a.dim()) for dim in (dim0, dim1))
    count = a.sparse_dim()
    if max(first, second) >= count and a.dim():
        raise RuntimeError(
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
            f"{count}, d0: {first}, d1: {second}"
        )
    dims = list(range(a.dim()))
    dims[first], dims[second] = dims[second], dims[first]
    return _permuted(a, dims)


def permute(a: Any, *order: Any, dims: Any = None) -> Any:
    """Order the sparse dimensions, and the dense ones, in another way."""
    given = list(order) if dims is None else list(dims)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = list(given[0])
    if len(given) != a.dim():
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {a.dim()} is not "
            f"equal to len(dims) = {len(given)}"
        )
    places = [wrapped_axis(dim, a.dim()) for dim in given]
    if len(set(places)) != len(places):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    count = a.sparse_dim()
    if sorted(places[:count]) != list(range(count)):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
            "allowed.Only transpositions within sparse and dense dimensions are supported."
        )
    return _permuted(a, places)


def _permuted(a: Any, order: list[int]) -> Any:
    count, values = a.sparse_dim(), values_of(a)
    if order[count:] != list(range(count, a.dim())):
        values = values.permute(0, *(d - count + 1 for d in order[count:]))
    in_order = order[:count] == list(range(count))
    indices = a._pairs[0] if in_order else a._pairs[0][order[:count]]
    size = [a.size(d) for d in order]
    return make(indices, values, size, coalesced=a._coalesced and in_order)


def t(a: Any) -> Any:
    """Transpose a matrix; a vector stays as it is."""
    if a.sparse_dim() > 2 or a.dense_dim():
        raise RuntimeError(
            "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
            f"{a.sparse_dim()} sparse and {a.dense_dim()} dense dimensions"
        )
    return transpose(a, 0, 1) if a.dim() == 2 else a


def adjoint(a: Any) -> Any:
    """Transpose the last two dimensions, and conjugate."""
    return transpose(a, -2, -1).conj()


def unsqueeze(a: Any, dim: int) -> Any:
    """Insert a dimension of size 1; it is dense behind the sparse ones."""
    dim = wrapped_axis(dim, a.dim() + 1)
    size = [*a.shape[:dim], 1, *a.shape[dim:]]
    indices, values = a._pairs[0], values_of(a)
    if dim <= a.sparse_dim():
        first = indices.new_zeros((1, a._nnz()))
        indices = torch.cat([indices[:dim], first, indices[dim:]])
    else:
        values = values.unsqueeze(dim - a.sparse_dim() + 1)
    return make(indices, values, size, coalesced=a._coalesced)


def expanded(a: Any, shape: Any) -> Any:
    """Repeat a tensor to a shape, in new leading dimensions and in those of size 1."""
    for _ in range(len(shape) - a.dim()):
        a = unsqueeze(a, 0)
    for dim in reversed(range(len(shape))):
        if a.size(dim) != shape[dim]:
            copies = torch.zeros(shape[dim], dtype=torch.int64, device=a.device)
            a = index_select(a, dim, copies)
    return a


# ---- selections ---------------------------------------------------------------------------------


def checked_index(a: Any, dim: int, index: int) -> int:
    """Return an index of a dimension, counted from the start.

    Raises:
        IndexError: If it is out of range.
    """
    if not -a.size(dim) <= index < a.size(dim):
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(a.shape)} at "
            f"dimension {dim}"
        )
    return index % int(a.size(dim))


def select(a: Any, dim: int, index: int) -> Any:
    """Return the part of a tensor at an index of a dimension."""
    dim = wrapped_axis(dim, a.dim())
    index = checked_index(a, dim, index)
    count = a.sparse_dim()
    size = [n for d, n in enumerate(a.shape) if d != dim]
    if dim >= count:
        values = values_of(a).select(dim - count + 1, index)
        return make(a._pairs[0], values, size, coalesced=a._coalesced)
    places = (a._pairs[0][dim] == index).nonzero().squeeze(1)
    values = values_of(a).index_select(0, places)
    if count == 1:
        return values.sum(0, dtype=values.dtype)
    rows = [d for d in range(count) if d != dim]
    indices = a._pairs[0][rows].index_select(1, places)
    return make(indices, values, size, coalesced=a._coalesced)


def narrow_copy(a: Any, dim: int, start: int, length: int) -> Any:
    """Return the part of a tensor between two indices of a dimension."""
    if not 0 <= dim < a.dim():
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {a.dim()}.")
    end = start + length
    if start < 0 or length < 0 or end > a.size(dim):
        raise RuntimeError(
            "Invalid range to narrow. range(start, start+length) must be a subset of "
            f"range(0, {a.size(dim)})."
        )
    count, size = a.sparse_dim(), list(a.shape)
    size[dim] = length
    indices, values = a._pairs[0], values_of(a)
    if dim >= count:
        values = values.narrow(dim - count + 1, start, length)
        return make(indices, values, size, coalesced=a._coalesced)
    places = ((indices[dim] >= start) & (indices[dim] < end)).nonzero().squeeze(1)
    kept = indices.index_select(1, places)
    kept[dim] -= start
    return make(kept, values.index_select(0, places), size, coalesced=a._coalesced)


def index_select(a: Any, dim: int, index: Any) -> Any:
    """Return the parts of a tensor at indices of a dimension; an index may occur several times."""
    dim = wrapped_axis(dim, a.dim())
    if index.dim() != 1 or index.dtype != torch.int64 or index.layout is not torch.strided:
        raise IndexError(
            "index_select() argument index must be 1-D strided (non-sparse) long-tensor."
        )
    wanted = _in_range(a, dim, index)
    count, size = a.sparse_dim(), list(a.shape)
    size[dim] = wanted.numel()
    indices, values = a._pairs[0], values_of(a)
    if dim >= count:
        values = values.index_select(dim - count + 1, wanted)
        return make(indices, values, size, coalesced=a._coalesced)
    ordered, order = indices[dim].sort(stable=True)
    first, last = (torch.searchsorted(ordered, wanted, right=right) for right in (False, True))
    repeats = last - first
    position = torch.repeat_interleave(torch.arange(wanted.numel(), device=wanted.device), repeats)
    offset = torch.arange(position.numel(), device=wanted.device)
    offset = offset - (repeats.cumsum(0) - repeats)[position]
    places = order[first[position] + offset]
    kept = indices.index_select(1, places)
    kept[dim] = position
    return make(kept, values.index_select(0, places), size, coalesced=a._coalesced and dim == 0)


def _in_range(a: Any, dim: int, index: Tensor) -> Tensor:
    """Return indices of a dimension, counted from the start."""
    size = a.size(dim)
    outside = ((index < -size) | (index >= size)).nonzero().flatten()
    if outside.numel():
        raise IndexError(
            f"index_select(): index contains {int(index[outside[0]])} that is out of range for "
            f"tensor of size {list(a.shape)} at dimension {dim}"
        )
    return torch.where(index < 0, index + size, index)


def unbind(a: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return the parts of a tensor at each index of a dimension."""
    return tuple(select(a, dim, i) for i in range(a.size(dim)))


def item(a: Any, index: Any) -> Any:
    """Return a part of a tensor by integers, `:`, `...` and None."""
    places = list(index) if isinstance(index, tuple) else [index]
    if any(place is Ellipsis for place in places):
        at = next(i for i, place in enumerate(places) if place is Ellipsis)
        taken = sum(place is not None for place in places) - 1
        places[at : at + 1] = [slice(None)] * (a.dim() - taken)
    dim = 0
    for place in places:
        if place is None:
            a, dim = a.unsqueeze(dim), dim + 1
        elif isinstance(place, slice) and place == slice(None):
            dim += 1
        elif isinstance(place, bool) or not _is_integer(place):
            raise NotImplementedError(
                "indexing a sparse tensor works with integers, :, ... and None only"
            )
        else:
            a = a.select(dim, _checked_place(a, dim, int(place)))
    return a


def _checked_place(a: Any, dim: int, place: int) -> int:
    if not -a.size(dim) <= place < a.size(dim):
        raise IndexError(
            f"index {place} is out of bounds for dimension {dim} with size {a.size(dim)}"
        )
    return place


def _is_integer(index: Any) -> bool:
    if isinstance(index, Tensor):
        return index.dim() == 0 and index.dtype in (torch.int32, torch.int64)
    return hasattr(index, "__index__")


# ---- joining ------------------------------------------------------------------------------------


def cat(tensors: Any, dim: int = 0) -> Any:
    """Join tensors along a dimension, which may be dense."""
    first = tensors[0]
    dim = wrapped_axis(dim, first.dim())
    _check_parts(tensors, dim)
    count, size = first.sparse_dim(), list(first.shape)
    size[dim] = sum(a.size(dim) for a in tensors)
    indices, parts, before = [], [], 0
    for a in tensors:
        places, values = a._pairs[0], values_of(a)
        if dim < count:
            shift = torch.zeros((count, 1), dtype=places.dtype, device=places.device)
            shift[dim] = before
            places = places + shift
        else:
            padding = [0, 0] * (first.dim() - dim - 1)
            padding += [before, size[dim] - before - a.size(dim)]
            values = torch.nn.functional.pad(values, padding)
        indices.append(places)
        parts.append(values)
        before += a.size(dim)
    return make(torch.cat(indices, 1), torch.cat(parts), size, coalesced=False)


def _check_parts(tensors: Any, dim: int) -> None:
    first = tensors[0]
    for place, a in enumerate(tensors):
        if not isinstance(a, SparseTensor):
            raise RuntimeError(
                f"Concatenating sparse tensors, but a {_density(a)} tensor was found at position "
                f"{place}."
            )
        if [*a.shape[:dim], *a.shape[dim + 1 :]] != [*first.shape[:dim], *first.shape[dim + 1 :]]:
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (except in the "
                f"concatenating dimension), but found shape: {list(a.shape)} at position {place}."
            )
        if (a.sparse_dim(), a.dense_dim()) != (first.sparse_dim(), first.dense_dim()):
            raise RuntimeError(
                "All tensors must have the same sparse_dim and dense_dim: "
                f"{first.sparse_dim()}, {first.dense_dim()}, but tensor at position {place} has "
                f"{a.sparse_dim()}, {a.dense_dim()}."
            )


def _density(tensor: Any) -> str:
    return "dense" if tensor.layout is torch.strided else layout_name(tensor)


def stack(tensors: Any, dim: int = 0) -> Any:
    """Join tensors along a new dimension."""
    return cat([unsqueeze(a, dim) for a in tensors], dim)


# ---- parts of complex numbers -------------------------------------------------------------------


def _of_values(function: Callable[[Tensor], Tensor]) -> Callable[[Any], Any]:
    def call(a: Any) -> Any:
        values = function(values_of(a))
        extra = values.shape[a._raw_values.dim() :]
        return make(a._pairs[0], values, [*a.shape, *extra], coalesced=a._coalesced)

    return call


def _refused(message: str) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        raise RuntimeError(message)

    return call


# ---- tables -------------------------------------------------------------------------------------

SHAPES: dict[str, Callable[..., Any]] = {
    "t": t,
    "transpose": transpose,
    "permute": permute,
    "select": select,
    "index_select": index_select,
    "narrow_copy": narrow_copy,
    "unsqueeze": unsqueeze,
}
BY_NAME: dict[str, Callable[..., Any]] = {
    "__getitem__": item,
    "cat": cat,
    "concat": cat,
    "concatenate": cat,
    "stack": stack,
    "unbind": unbind,
    "T": lambda a: transpose(a, 0, 1) if a.dim() == 2 else permute(a, *reversed(range(a.dim()))),
    "mT": lambda a: transpose(a, -2, -1),
    "H": adjoint,
    "mH": adjoint,
    "adjoint": adjoint,
    "swapaxes": transpose,
    "swapdims": transpose,
    "conj": lambda a: a if not a.is_complex() else _of_values(lambda v: v.conj_physical())(a),
    "resolve_conj": lambda a: a,
    **dict.fromkeys(
        ("reshape", "flatten"), _refused("reshape is not implemented for sparse tensors")
    ),
    **dict.fromkeys(
        ("broadcast_tensors", "broadcast_to", "expand", "repeat"),
        _refused("expand is unsupported for Sparse tensors"),
    ),
    "real": lambda a: a if not a.is_complex() else _of_values(lambda v: v.real)(a),
    "imag": _of_values(lambda v: v.imag),
    "view_as_real": _of_values(torch.view_as_real),
}
