"""Jagged nested tensors: functions that rearrange elements."""

from __future__ import annotations

from typing import Any

import torch
from torch.nested._base import make, values_of
from torch.nested._internal.nested_tensor import Jagged
from torch.nested._jagged import inner_dim, is_jagged, like, require_whole, same_ragged
from torch.nested._strided import checked_dim

Tensor = torch.Tensor


def transpose(a: Any, dim0: int, dim1: int) -> Any:
    """Swap two dimensions other than the batch's."""
    dim0, dim1 = checked_dim(a, dim0), checked_dim(a, dim1)
    ragged = a._ragged_idx
    if ragged in (dim0, dim1):
        if 0 in (dim0, dim1):
            raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
        moved = dim1 if dim0 == ragged else dim0
        return like(a, values_of(a).transpose(dim0 - 1, dim1 - 1), moved)
    dims = (inner_dim(a, dim0, "transpose"), inner_dim(a, dim1, "transpose"))
    return like(a, values_of(a).transpose(*dims))


def permute(a: Any, *dims: Any) -> Any:
    """Reorder the dimensions; the batch's stays first."""
    given = _sequence(dims)
    if len(given) != a.dim():
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({a.dim()}) does not match the "
            f"length of the desired ordering of dimensions ({len(given)})."
        )
    order = [checked_dim(a, d) for d in given]
    if len(set(order)) != len(order):
        raise ValueError("permute(): duplicate dims are not allowed.")
    if a._lengths is not None:
        raise ValueError("permute(): not supported on jagged layout nested tensor with holes")
    if order[0] != 0:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    values = values_of(a).permute([d - 1 for d in order[1:]])
    return like(a, values, order.index(a._ragged_idx))


def view(a: Any, *size: Any) -> Any:
    """Return a view of another size, which agrees up to the ragged dimension."""
    wanted = _sequence(size)
    if len(wanted) == 1 and isinstance(wanted[0], torch.dtype):
        return like(a, values_of(a).view(wanted[0]))
    if a._ragged_idx != 1 and tuple(a._size) != tuple(wanted):
        raise RuntimeError(
            "view(): does not support ragged_idx != 1 except when inp._size == size. "
            f"inp._size is ({a._size}) and size is ({wanted})."
        )
    return like(a, values_of(a).view(_inner_size(a, wanted, "view")))


def reshape(a: Any, *size: Any) -> Any:
    """Return the elements in another size, which agrees up to the ragged dimension."""
    wanted = _sequence(size)
    if a._ragged_idx != 1 and tuple(a._size) != tuple(wanted):
        return view(a, *size)
    return like(a, values_of(a).reshape(_inner_size(a, wanted, "view")))


def _inner_size(a: Any, wanted: Any, name: str) -> list[int]:
    short = len(wanted) < 3 and len(wanted) != a.dim()
    if short or not same_ragged(a, wanted):
        raise RuntimeError(f"{name}(): cannot view shape {a._size} as {list(wanted)}")
    packed = a._structure.packed_dim
    return [a._inner.size(packed) if d == packed else n for d, n in enumerate(wanted[1:])]


def flatten(a: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Join dimensions after the ragged one."""
    start, end = (inner_dim(a, d, "flatten") for d in (start_dim, end_dim))
    return a if start == end else like(a, values_of(a).flatten(start, end))


def unflatten(a: Any, dim: int, sizes: Any) -> Any:
    """Split a dimension into several."""
    inner = inner_dim(a, dim, "unflatten")
    added = len(sizes) - 1 if inner < a._structure.packed_dim else 0
    return like(a, values_of(a).unflatten(inner, sizes), a._ragged_idx + added)


def squeeze(a: Any, dim: Any = None) -> Any:
    """Remove a dimension of size 1."""
    if dim is None:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported"
        )
    require_whole(a, "squeeze_dim(self: jt, dim: any)")
    return like(a, values_of(a).squeeze(inner_dim(a, dim, "squeeze")))


def unsqueeze(a: Any, dim: int) -> Any:
    """Insert a dimension of size 1 after the batch's."""
    count = a.dim() + 1
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    dim %= count
    if dim == 0:
        raise RuntimeError("unsqueeze(): not supported for NestedTensor on dim=0")
    ragged = a._ragged_idx + (dim <= a._ragged_idx)
    return like(a, values_of(a).unsqueeze(dim - 1), ragged)


def expand(a: Any, *size: Any, implicit: bool = False) -> Any:
    """Repeat dimensions of size 1."""
    wanted = _sequence(size)
    if not same_ragged(a, wanted):
        raise RuntimeError(f"expand(): cannot expand shape {a._size} -> {wanted}")
    inner = [-1 if d == a._ragged_idx else wanted[d] for d in range(1, a.dim())]
    return like(a, values_of(a).expand(inner))


def expand_as(a: Any, other: Any) -> Any:
    """Repeat a tensor to the size of another."""
    if is_jagged(a):
        return expand(a, *other.shape)
    return like(other, a.expand_as(other._inner))


def broadcast_to(a: Any, size: Any) -> Any:
    """Repeat dimensions of size 1."""
    if len(size) > a.dim():
        raise ValueError(
            "broadcast_to(): broadcasting to a higher-dim shape is currently not supported for "
            "nested tensors with the jagged layout"
        )
    return expand(a, *[1] * (a.dim() - len(size)), *size)


def select(a: Any, dim: int, index: int) -> Any:
    """Return the part at an index of a dimension."""
    if checked_dim(a, dim) == 0:
        return a.unbind()[index]
    inner = inner_dim(a, dim, "select")
    if a._lengths is not None:
        raise ValueError(
            "select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes"
        )
    return like(a, values_of(a).select(inner, index), a._ragged_idx - (inner + 1 < a._ragged_idx))


def narrow(a: Any, dim: int, start: int, length: int) -> Any:
    """Return a range of a dimension."""
    require_whole(a, "narrow(self: jt, dim: any, start: any, length: any)")
    return like(a, values_of(a).narrow(inner_dim(a, dim, "narrow"), start, length))


def item(a: Any, index: Any) -> Any:
    """Return the part at integers, slices and None."""
    places = index if isinstance(index, tuple) else (index,)
    if Ellipsis in places:
        at = places.index(Ellipsis)
        given = sum(p is not None for p in places) - 1
        places = (*places[:at], *[slice(None)] * (a.dim() - given), *places[at + 1 :])
    dim = 0
    for place in places:
        if place is None:
            a, dim = a.unsqueeze(dim), dim + 1
        elif isinstance(place, slice):
            a = a if place == slice(None) else _slice(a, dim, place)
            dim += 1
        elif isinstance(place, int) and is_jagged(a):
            a = select(a, dim, place)
        elif not is_jagged(a):
            return a[tuple(places[places.index(place) :])]
        else:
            raise NotImplementedError("nested tensors are indexed by integers and slices")
    return a


def _slice(a: Any, dim: int, place: slice) -> Any:
    if not is_jagged(a):
        return a[(slice(None),) * dim + (place,)]
    require_whole(a, "slice_tensor(self: jt, dim: any?, start: any?, end: any?, step: any?)")
    inner = inner_dim(a, dim, "slice")
    return like(a, values_of(a)[(slice(None),) * inner + (place,)])


def split(a: Any, split_size: Any, dim: int = 0) -> Any:
    """Split a dimension other than the batch's and the ragged one."""
    several = isinstance(split_size, (list, tuple))
    name = "split_with_sizes" if several else "split"
    require_whole(a, f"{name}(self: jt, split_size: any, dim: any?)")
    parts = torch.split(values_of(a), split_size, inner_dim(a, dim, name))
    return tuple(like(a, part) for part in parts)


def chunk(a: Any, chunks: int, dim: int = 0) -> Any:
    """Split a dimension, or the batch, into a number of parts."""
    require_whole(a, "chunk_default(self: jt, chunks: any, dim: any?)")
    if checked_dim(a, dim):
        parts = values_of(a).chunk(chunks, inner_dim(a, dim, "chunk"))
        return tuple(like(a, part) for part in parts)
    lengths = a._offsets.diff().chunk(chunks)
    parts = values_of(a).split([int(part.sum()) for part in lengths])
    zero = a._offsets.new_zeros(1)
    offsets = [torch.cat([zero, part.cumsum(0)]) for part in lengths]
    return tuple(make(part, Jagged(at)) for part, at in zip(parts, offsets, strict=True))


def cat(tensors: Any, dim: int = 0) -> Any:
    """Join tensors along a dimension other than the batch's and the ragged one."""
    first = next(each for each in tensors if is_jagged(each))
    nested = [each if is_jagged(each) else expand_as(each, first) for each in tensors]
    return like(
        first, torch.cat([values_of(each) for each in nested], inner_dim(first, dim, "cat"))
    )


def stack(tensors: Any, dim: int = 0) -> Any:
    """Join tensors of the same structure along a new dimension."""
    first = tensors[0]
    if not all(map(is_jagged, tensors)):
        raise RuntimeError("stack(): expected all nested tensors inputs")
    if any(each.dim() != first.dim() for each in tensors):
        raise RuntimeError("stack(): expected all nested tensors to have the same dim")
    if not all(same_ragged(each, first._size) for each in tensors):
        raise RuntimeError("stack(): expected all nested tensors to have the same nested structure")
    count = first.dim() + 1
    dim = dim % count
    if dim in (0, first._ragged_idx):
        where = "dim=0" if dim == 0 else "ragged dim"
        raise RuntimeError(f"stack(): not supported for NestedTensor on {where}")
    return like(first, torch.stack([values_of(each) for each in tensors], dim - 1))


def contiguous(a: Any, memory_format: Any = torch.contiguous_format) -> Any:
    """Return the tensor without holes between its components, in contiguous values."""
    if a.is_contiguous():
        return a
    if a._lengths is None:
        return like(a, values_of(a).contiguous())
    from torch.nested._constructors import jagged_from_list

    return jagged_from_list(a.unbind(), None, None)


def masked_select(a: Any, mask: Any) -> Any:
    """Return the elements that a mask of the same structure keeps."""
    require_whole(a, "masked_select_default(self: jt, mask: any)")
    if a.dim() > 2:
        raise RuntimeError("masked_select only support 2-D selections currently")
    if a.shape != mask.shape:
        raise RuntimeError(
            f"Mask with shape {mask.shape} is not compatible with input's shape {a.shape}"
        )
    kept = mask.values()
    ends = torch.cat([a._offsets.new_zeros(1), kept.cumsum(0)])
    return make(values_of(a).masked_select(kept), Jagged(ends[a._offsets]))


def copy_in_place(a: Any, source: Any, non_blocking: bool = False) -> Any:
    """Copy the elements of a tensor whose components have the same sizes."""
    if not is_jagged(source):
        raise ValueError("copy_(): expected src to be a jagged layout NestedTensor")
    sizes = [[c.shape for c in each.unbind()] for each in (a, source)]
    if sizes[0] != sizes[1]:
        raise RuntimeError(
            f"copy_(): expected compatible input and src shapes, but got: {a.shape} and "
            f"{source.shape}"
        )
    with torch.no_grad():
        for mine, other in zip(a.unbind(), source.unbind(), strict=True):
            mine.copy_(other)
    return a


def _sequence(values: Any) -> Any:
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        return tuple(values[0])
    return tuple(values)
