"""Strided nested tensors: functions that rearrange elements."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
from torch.nested._base import is_nested, make, values_of
from torch.nested._strided import Strided, checked_dim, pack

Tensor = torch.Tensor
F = torch.nn.functional


def contiguous(a: Any, memory_format: Any = torch.contiguous_format) -> Any:
    """Return the tensor with components that follow one another in the buffer."""
    return a if a.is_contiguous() else pack(a.unbind(), a._structure.ndim)


def _rearranged(a: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """Return a view of the same buffer, in which each component is a view of its own."""
    parts = [function(part) for part in a._structure.parts(a._inner.detach())]
    start = a._inner.storage_offset()
    structure = Strided(
        tuple(tuple(part.shape) for part in parts),
        tuple(tuple(part.stride()) for part in parts),
        tuple(part.storage_offset() - start for part in parts),
        parts[0].dim() if parts else a._structure.ndim,
    )
    return make(values_of(a), structure)


def transpose(a: Any, dim0: int, dim1: int) -> Any:
    """Swap two dimensions other than the batch's."""
    dim0, dim1 = checked_dim(a, dim0), checked_dim(a, dim1)
    if dim0 == dim1:
        return a
    if 0 in (dim0, dim1):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    return _rearranged(a, lambda part: part.transpose(dim0 - 1, dim1 - 1))


def unsqueeze(a: Any, dim: int) -> Any:
    """Insert a dimension of size 1 after the batch's."""
    count = a.dim() + 1
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    if dim % count == 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not "
            "supported at the moment if you need this feature, please open an issue on github "
            "describing your use case."
        )
    return _rearranged(a, lambda part: part.unsqueeze(dim % count - 1))


def squeeze(a: Any, dim: Any = None) -> Any:
    """Remove dimensions of size 1."""
    if dim is None:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported at "
            "the moment, however you can use squeeze(Tensor self, int dim) instead if you need this "
            "feature, please open an issue on github describing your use case."
        )
    dims = [checked_dim(a, d) for d in ([dim] if isinstance(dim, int) else dim)]
    if 0 in dims:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment "
            "if you need this feature, please open an issue on github describing your use case."
        )
    return _rearranged(a, lambda part: part.squeeze(tuple(d - 1 for d in dims)))


def select(a: Any, dim: int, index: int) -> Any:
    """Return the part at an index of a dimension."""
    if checked_dim(a, dim) == 0:
        return _component(a, index)
    return _rearranged(a, lambda part: part.select(checked_dim(a, dim) - 1, index))


def _component(a: Any, index: int) -> Tensor:
    if not -len(a) <= index < len(a):
        raise IndexError(f"index {index} is out of bounds for dimension 0 with size {len(a)}")
    return a.unbind()[index]  # type: ignore[no-any-return]


def narrow(a: Any, dim: int, start: int, length: int) -> Any:
    """Return a range of the components."""
    if checked_dim(a, dim) != 0:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    given, kept = a._structure, slice(start, start + length)
    parts = (given.sizes[kept], given.strides[kept], given.offsets[kept])
    return make(values_of(a), Strided(*parts, given.ndim))


def item(a: Any, index: Any) -> Any:
    """Return what an index of integers and slices selects."""
    places = index if isinstance(index, tuple) else (index,)
    if any(not isinstance(each, (int, slice, type(Ellipsis))) for each in places):
        raise NotImplementedError("nested tensors are indexed by integers and slices")
    if places[0] is Ellipsis and len(places) <= a.dim():
        places = (slice(None), *places)
    first, rest = places[0], places[1:]
    if isinstance(first, int):
        part = _component(a, first)
        return part[rest] if rest else part
    if first != slice(None):
        raise NotImplementedError("nested tensors are indexed by integers along dimension 0")
    return _rearranged(a, lambda part: part[rest]) if rest else a


def split(a: Any, sizes: Any, dim: int = 0) -> Any:
    """Split the last dimension into parts of given sizes."""
    inner = _last(a, dim, "split_with_sizes")
    if isinstance(sizes, int):
        raise NotImplementedError("split of a strided nested tensor takes a list of sizes")
    if sum(sizes) != a.size(-1):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {a.size(-1)} (input tensor's "
            f"size at dimension {a.dim() - 1}), but got split_sizes={list(sizes)}"
        )
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(_part(a, inner, at, n) for at, n in zip(starts, sizes, strict=True))


def chunk(a: Any, chunks: int, dim: int = 0) -> Any:
    """Split the last dimension into a number of parts."""
    inner = _last(a, dim, "Chunk")
    if not a.is_contiguous():
        raise RuntimeError("chunk expects `self` to be contiguous.")
    width = a.size(-1)
    if width % chunks:
        raise RuntimeError(
            f"Chunk for nested tensors is only supported for nested tensors with trailing dimension "
            f"divisible by chunks, got: {width} % {chunks} != 0"
        )
    each = width // chunks
    return tuple(_part(a, inner, at * each, each) for at in range(chunks))


def _last(a: Any, dim: int, operator: str) -> int:
    """Return the number of the last dimension in a component, or refuse any other dimension."""
    dim = checked_dim(a, dim)
    if dim != a.dim() - 1:
        raise RuntimeError(
            f"{operator} for nested tensors is currently only supported for the last dimension."
        )
    return dim - 1


def _part(a: Any, inner: int, start: int, length: int) -> Any:
    return _rearranged(a, lambda part: part.narrow(inner, start, length))


def reshape(a: Any, *size: Any) -> Any:
    """Return the elements in another shape; -1 stands for a component's own size."""
    return _reshaped(a, size, "reshape")


def _reshaped(a: Any, size: Any, name: str) -> Any:
    wanted = list(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    if not wanted:
        raise RuntimeError("shape '[]' is invalid for a nested tensor")
    if wanted[0] != len(a):
        raise RuntimeError(
            f"{name}: For now nested {name} cannot change or infer the implicit batch dimension"
        )
    parts = [part.reshape(_resolved(part, wanted)) for part in a.unbind()]
    return pack(parts, len(wanted) - 1)


def view(a: Any, *size: Any) -> Any:
    """Return a view of another shape; -1 stands for a component's own size."""
    if not a.is_contiguous():
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    viewed = _reshaped(a, size, "view")
    return make(values_of(a), viewed._structure)


def _resolved(part: Tensor, wanted: Any) -> list[int]:
    """Return a component's shape, with its own size for each -1 of a dimension that it has."""
    kept = [part.shape[d] if n == -1 and d < part.dim() else n for d, n in enumerate(wanted[1:])]
    if -1 not in kept and prod(kept) != part.numel():
        raise RuntimeError(f"shape '{list(wanted)}' is invalid for input of size {part.numel()}")
    return kept


def unflatten(a: Any, dim: int, sizes: Any) -> Any:
    """Split a dimension other than the batch's into several."""
    dim = checked_dim(a, dim)
    if dim == 0:
        raise RuntimeError("unflatten() is not supported along dimension 0 of a nested tensor")
    return _rearranged(a, lambda part: part.unflatten(dim - 1, sizes))


def cat(tensors: Any, dim: int = 0) -> Any:
    """Join tensors along a dimension."""
    if not all(map(is_nested, tensors)):
        raise RuntimeError("cat(): expected each tensor in given list to be nested")
    if checked_dim(tensors[0], dim) == 0:
        return pack([part for each in tensors for part in each.unbind()])
    rows = zip(*(each.unbind() for each in tensors), strict=True)
    return pack([torch.cat(row, checked_dim(tensors[0], dim) - 1) for row in rows])


def to_padded(a: Any, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    """Return a plain tensor in which the smaller components are filled up with a value."""
    if not a._structure.sizes:
        return a._inner.detach()  # type: ignore[no-any-return]
    if not a.numel():
        raise RuntimeError(
            "to_padded_tensor: at least one constituent tensor should have non-zero numel"
        )
    least = [len(a), *(max(sizes) for sizes in zip(*a._structure.sizes, strict=True))]
    size = least if output_size is None else list(output_size)
    if len(size) != a.dim():
        raise RuntimeError(
            "Length of output_size does not match NestedTensor dims. Broadcasting is not supported."
        )
    if any(n < m for m, n in zip(least, size, strict=True)):
        raise RuntimeError(
            "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
        )
    pads = [
        [
            each
            for n, m in zip(reversed(size[1:]), reversed(part.shape), strict=True)
            for each in (0, n - m)
        ]
        for part in a.unbind()
    ]
    rows = [F.pad(part, pad, value=padding) for part, pad in zip(a.unbind(), pads, strict=True)]
    rows += [torch.full_like(rows[0], padding)] * (size[0] - len(rows))
    padded = torch.stack(rows)
    return padded if out is None else out.resize_(padded.shape).copy_(padded)
