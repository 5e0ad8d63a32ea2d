"""What functions do with strided nested tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import torch
from torch.nested import _attention
from torch.nested._base import is_nested, make, values_of
from torch.nested._strided import Strided, checked_dim, on_each, pack

Tensor = torch.Tensor
F = torch.nn.functional


def combine(
    func: Any, args: list[Any], values: Callable[[Any], Tensor]
) -> tuple[list[Any], Strided]:
    """Return arguments with buffers for nested tensors, and the structure of the result.

    Raises:
        RuntimeError: If the sizes differ.
    """
    name = func.__name__.strip("_")
    nested = [a for a in args if is_nested(a)]
    first = nested[0]
    plain = [a for a in args if isinstance(a, Tensor) and not is_nested(a) and a.dim()]
    if plain:
        return _with_plain(name, args, first, plain[0], values)
    sizes = first._structure.sizes
    if any(each._structure.sizes != sizes for each in nested):
        raise RuntimeError(
            f"{name} does not support broadcasting when given a NestedTensor"
            if len({len(each) for each in nested}) == 1
            else f"{name} expected both nested tensors to have a tensor_size of the same size"
        )
    same = all(each._structure == first._structure for each in nested)
    structure = first._structure if same else Strided.contiguous(sizes, first._structure.ndim)
    parts = [
        (values(a) if same else values(_contiguous(a))) if is_nested(a) else a for a in args
    ]
    return parts, structure


def _with_plain(name: str, args: Any, nested: Any, plain: Tensor, values: Any) -> Any:
    """Broadcast a plain tensor: (B, 1, D) or (B, 1, 1) along sequences, or of the components' size."""
    if name not in ("add", "radd", "sub", "mul", "rmul", "iadd", "imul", "add_", "mul_", "multiply"):
        raise RuntimeError(
            f"Expected both self and other to be nested, but got a nested self and non-nested other"
        )
    whole = _contiguous(nested)
    rows = plain.unbind(0) if plain.dim() == nested.dim() else [plain] * len(nested)
    if len(rows) != len(nested):
        raise RuntimeError(
            f"{name} does not support broadcasting when given a NestedTensor"
        )
    parts = zip(rows, whole._structure.sizes, strict=True)
    flat = torch.cat([row.expand(size).reshape(-1) for row, size in parts])
    return (
        [values(whole) if a is nested else flat if a is plain else a for a in args],
        whole._structure,
    )


def _contiguous(a: Any, memory_format: Any = torch.contiguous_format) -> Any:
    return a if a.is_contiguous() else pack(a.unbind(), a._structure.ndim)


def _with_structure(a: Any, **changes: Any) -> Any:
    return make(values_of(a), replace(a._structure, **changes))


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


# ---- views ---------------------------------------------------------------------------------------


def _inner(a: Any, dim: int, name: str) -> int:
    dim = checked_dim(a, dim)
    if dim == 0:
        raise RuntimeError(f"{name}() is not supported along dimension 0 of a nested tensor")
    return dim - 1


def _transpose(a: Any, dim0: int, dim1: int) -> Any:
    dim0, dim1 = checked_dim(a, dim0), checked_dim(a, dim1)
    if dim0 == dim1:
        return a
    if 0 in (dim0, dim1):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    return _rearranged(a, lambda part: part.transpose(dim0 - 1, dim1 - 1))


def _unsqueeze(a: Any, dim: int) -> Any:
    count = a.dim() + 1
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    if dim % count == 0:
        raise RuntimeError("unsqueeze(): For nested tensors, unsqueezing dim 0 is not supported")
    return _rearranged(a, lambda part: part.unsqueeze(dim % count - 1))


def _squeeze(a: Any, dim: Any = None) -> Any:
    if dim is None:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported"
        )
    dims = [checked_dim(a, d) for d in ([dim] if isinstance(dim, int) else dim)]
    if 0 in dims:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing dim 0 is not supported at the moment "
            "if you need this feature, please open an issue on github describing your use case."
        )
    return _rearranged(a, lambda part: part.squeeze(tuple(d - 1 for d in dims)))


def _select(a: Any, dim: int, index: int) -> Any:
    if checked_dim(a, dim) == 0:
        return a.unbind()[index]
    return _rearranged(a, lambda part: part.select(checked_dim(a, dim) - 1, index))


def _narrow(a: Any, dim: int, start: int, length: int) -> Any:
    if checked_dim(a, dim) != 0:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    return pack(a.unbind()[start : start + length], a._structure.ndim)


def _item(a: Any, index: Any) -> Any:
    places = index if isinstance(index, tuple) else (index,)
    first, rest = places[0], places[1:]
    if isinstance(first, int):
        return a.unbind()[first][rest] if rest else a.unbind()[first]
    if first != slice(None):
        raise RuntimeError("nested tensors are indexed by integers along dimension 0")
    return _rearranged(a, lambda part: part[rest]) if rest else a


def _split(a: Any, sizes: Any, dim: int = 0) -> Any:
    inner = _last(a, dim, "split_with_sizes")
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(_part(a, inner, at, n) for at, n in zip(starts, sizes, strict=True))


def _chunk(a: Any, chunks: int, dim: int = 0) -> Any:
    inner = _last(a, dim, "chunk")
    width = a.size(-1)
    if width % chunks:
        raise RuntimeError(
            f"Chunk for nested tensors is only supported for nested tensors with trailing dimension "
            f"divisible by chunks, got: {width} % {chunks} != 0"
        )
    each = width // chunks
    return tuple(_part(a, inner, at * each, each) for at in range(chunks))


def _last(a: Any, dim: int, name: str) -> int:
    dim = checked_dim(a, dim)
    if dim != a.dim() - 1:
        title = "Chunk" if name == "chunk" else "SplitWithSizes"
        raise RuntimeError(
            f"{title} for nested tensors is currently only supported for the last dimension."
        )
    return dim - 1


def _part(a: Any, inner: int, start: int, length: int) -> Any:
    return _rearranged(a, lambda part: part.narrow(inner, start, length))


def _reshape(a: Any, *size: Any) -> Any:
    wanted = list(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    if not wanted or wanted[0] not in (len(a), -1):
        raise RuntimeError(
            "view: For now nested view cannot change or infer the implicit batch dimension"
        )
    return pack(
        [part.reshape(_resolved(part, wanted[1:])) for part in a.unbind()], len(wanted) - 1
    )


def _view(a: Any, *size: Any) -> Any:
    if not a.is_contiguous():
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    viewed = _reshape(a, *size)
    return make(values_of(a), viewed._structure)


def _resolved(part: Tensor, wanted: Any) -> list[int]:
    """Return a size in which -1 is the component's own, or what is left if there is no such."""
    kept = [
        part.shape[d] if n == -1 and d < part.dim() else n for d, n in enumerate(wanted)
    ]
    return kept if prod(kept) == part.numel() else list(wanted)


def _unflatten(a: Any, dim: int, sizes: Any) -> Any:
    inner = _inner(a, dim, "unflatten")
    return _rearranged(a, lambda part: part.unflatten(inner, sizes))


def _cat(tensors: Any, dim: int = 0) -> Any:
    if not all(map(is_nested, tensors)):
        raise RuntimeError("cat(): expected each tensor in given list to be nested")
    if checked_dim(tensors[0], dim) == 0:
        return pack([part for each in tensors for part in each.unbind()])
    rows = zip(*(each.unbind() for each in tensors), strict=True)
    return pack([torch.cat(row, checked_dim(tensors[0], dim) - 1) for row in rows])


def _to_padded(a: Any, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    if not a._structure.sizes or not a._structure.ndim:
        raise RuntimeError("at least one constituent tensor should have non-zero numel")
    largest = [max(sizes) for sizes in zip(*a._structure.sizes, strict=True)]
    size = [len(a), *largest] if output_size is None else list(output_size)
    if len(size) != a.dim() or any(n < m for m, n in zip(largest, size[1:], strict=False)):
        raise RuntimeError(
            "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
        )
    missing = [
        [each for n, m in zip(reversed(size[1:]), reversed(part.shape), strict=True) for each in (0, n - m)]
        for part in a.unbind()
    ]
    rows = [F.pad(part, pad, value=padding) for part, pad in zip(a.unbind(), missing, strict=True)]
    rows += [torch.full_like(rows[0], padding)] * (size[0] - len(rows))
    padded = torch.stack(rows)
    return padded if out is None else out.resize_(padded.shape).copy_(padded)


# ---- functions of elements and rows --------------------------------------------------------------


def _linear(a: Any, weight: Tensor, bias: Any = None) -> Any:
    return _on_rows(a, lambda rows: F.linear(rows, weight, bias), weight.shape[0])


def _on_rows(a: Any, function: Callable[[Tensor], Tensor], width: int) -> Any:
    """Apply a function to all vectors along the last dimension."""
    whole = _contiguous(a)
    rows = function(values_of(whole).view(-1, a.size(-1)))
    sizes = tuple((*size[:-1], width) for size in whole._structure.sizes)
    return make(rows.reshape(-1), Strided.contiguous(sizes, whole._structure.ndim))


def _softmax(a: Any, dim: Any = None, _stacklevel: Any = None, dtype: Any = None) -> Any:
    dim = checked_dim(a, dim)
    if dim == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return on_each(a, lambda part: torch.softmax(part, dim - 1, dtype=dtype))


def _layer_norm(
    a: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:  # fmt: skip
    shape = tuple(normalized_shape)
    if any(size[-len(shape) :] != shape for size in a._structure.sizes):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, "
            f"{', '.join(map(str, shape))}], but got a nested tensor of other sizes"
        )
    return on_each(a, lambda part: F.layer_norm(part, shape, weight, bias, eps))


def _dropout(a: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    return make(F.dropout(values_of(a), p, training, inplace), a._structure)


def _embedding(weight: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    if is_nested(weight):
        weight, a = a, weight
    whole = _contiguous(a)
    sizes = tuple((*size, weight.shape[1]) for size in whole._structure.sizes)
    found = F.embedding(whole._inner, weight, *args, **kwargs)
    return make(found.reshape(-1), Strided.contiguous(sizes, whole._structure.ndim + 1))


def _matmul(a: Any, b: Any) -> Any:
    if not is_nested(a):
        raise RuntimeError("Expected both to be nested, but got a non-nested self and nested other")
    if not is_nested(b) and b.dim() == 2:
        return on_each(a, lambda part: part @ b)
    if len(a) != len(b):
        raise RuntimeError(
            "matmul: Expected size for the 1st dimension of 2nd input tensor to be: "
            f"{len(a)} but got: {len(b)}."
        )
    return pack([x @ y for x, y in zip(a.unbind(), b.unbind(0), strict=True)])


def _sum(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None:
        return _contiguous_values(a).sum(dtype=dtype)
    dims = [checked_dim(a, d) for d in ([dim] if isinstance(dim, int) else dim)]
    if dims != [a.dim() - 1]:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension, the last one")
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return on_each(a, lambda part: part.sum(-1, True, dtype=dtype))


def _contiguous_values(a: Any) -> Tensor:
    return values_of(_contiguous(a))


def _mean(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is not None:
        raise NotImplementedError("mean over a dimension is not supported for strided nested tensors")
    return _contiguous_values(a).mean(dtype=dtype)


def _all(a: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        raise NotImplementedError("all over a dimension is not supported for strided nested tensors")
    return _contiguous_values(a).all()


def _where(condition: Any, a: Any, b: Any) -> Any:
    parts = [x.unbind() if isinstance(x, Tensor) and x.dim() else [x] * len(condition) for x in (a, b)]
    return pack([torch.where(c, x, y) for c, x, y in zip(condition.unbind(), *parts, strict=True)])


def _to(a: Any, *args: Any, **kwargs: Any) -> Any:
    if args and is_nested(args[0]):
        args = (args[0]._inner, *args[1:])
    values = values_of(a).to(*args, **kwargs)
    return a if values is a._inner else make(values, a._structure)


def _move(name: str) -> Callable[..., Any]:
    return lambda a, *args, **kwargs: make(getattr(values_of(a), name)(*args, **kwargs), a._structure)


def _clone(a: Any, *, memory_format: Any = None) -> Any:
    if memory_format == torch.contiguous_format and not a.is_contiguous():
        return _contiguous(a)
    return make(values_of(a).clone(), a._structure)


def _copy(a: Any, source: Any, non_blocking: bool = False) -> Any:
    if not is_nested(source):
        raise RuntimeError("copy_ only supports NestedTensors")
    if a._structure.sizes != source._structure.sizes:
        raise RuntimeError("copy_ only supports tensors that are the same size for Nested implementations")
    with torch.no_grad():
        for mine, other in zip(a.unbind(), source.unbind(), strict=True):
            mine.copy_(other)
    return a


RULES: dict[str, Callable[..., Any]] = {
    "__getitem__": _item,
    "__matmul__": _matmul,
    "__rmatmul__": lambda a, b: _matmul(b, a),
    "all": _all,
    "bmm": _matmul,
    "cat": _cat,
    "chunk": _chunk,
    "clone": _clone,
    "concat": _cat,
    "contiguous": _contiguous,
    "copy_": _copy,
    "cpu": _move("cpu"),
    "cuda": _move("cuda"),
    "dropout": _dropout,
    "embedding": _embedding,
    "is_same_size": lambda a, b: a._structure.sizes == b._structure.sizes,
    "layer_norm": _layer_norm,
    "linear": _linear,
    "matmul": _matmul,
    "mean": _mean,
    "narrow": _narrow,
    "nested_to_padded_tensor": _to_padded,
    "reshape": _reshape,
    "reshape_as": lambda a, other: pack(
        [x.reshape(y.shape) for x, y in zip(a.unbind(), other.unbind(), strict=True)]
    ),
    "scaled_dot_product_attention": _attention.strided,
    "select": _select,
    "softmax": _softmax,
    "split_with_sizes": _split,
    "squeeze": _squeeze,
    "sum": _sum,
    "to": _to,
    "to_padded_tensor": _to_padded,
    "transpose": _transpose,
    "unbind": lambda a, dim=0: a.unbind(dim),
    "unflatten": _unflatten,
    "unsqueeze": _unsqueeze,
    "view": _view,
    "where": _where,
}
