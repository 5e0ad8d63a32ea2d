"""What functions and operators do with sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.sparse._tensor import (
    SparseTensor,
    flat_indices,
    make,
    masked_by,
    values_of,
    wrapped,
)

Tensor = torch.Tensor


def _rebuilt(tensor: Any, values: Tensor) -> Any:
    """Return a tensor with the same indices and other values."""
    return make(tensor._pairs[0], values, tensor.shape, coalesced=tensor._coalesced)


# ---- arithmetic ---------------------------------------------------------------------------------


def _add(a: Any, b: Any, *, alpha: Any = 1, out: Any = None) -> Any:
    if not isinstance(b, SparseTensor):
        if not isinstance(b, Tensor):
            raise NotImplementedError("add(sparse, number) is not supported: it would be dense")
        return _add(b * alpha if alpha != 1 else b, a)
    if a.shape != b.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != "
            f"{list(b.shape)}"
        )
    values = values_of(b) if alpha == 1 else values_of(b) * alpha
    if not isinstance(a, SparseTensor):
        dtype = torch.result_type(a, values)
        return a.to(dtype).index_put(tuple(b._pairs[0]), values.to(dtype), accumulate=True)
    first: Any = a
    if first.sparse_dim() != b.sparse_dim():
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same number of sparse dimensions, but "
            f"{first.sparse_dim()} != {b.sparse_dim()}"
        )
    joined = make(
        torch.cat([first._pairs[0], b._pairs[0]], 1),
        torch.cat([values_of(first), values]),
        first.shape,
        coalesced=False,
    )
    return joined.coalesce() if first._coalesced and b._coalesced else joined


def _sub(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    return _add(a, b, alpha=-alpha)


def _add_in_place(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    if isinstance(a, SparseTensor):
        total = _add(a, b, alpha=alpha)
        a._pairs, a._coalesced = total._pairs, total._coalesced
        return a
    values = b._pairs[1] if alpha == 1 else b._pairs[1] * alpha
    return a.index_put_(tuple(b._pairs[0]), values.to(a.dtype), accumulate=True)


def _mul(a: Any, b: Any) -> Any:
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, Tensor) or (b.dim() == 0 and not isinstance(b, SparseTensor)):
        return _rebuilt(a, values_of(a) * b)
    if isinstance(b, SparseTensor):
        left: Any = a.coalesce()
        right: Any = b.coalesce()
        if left.shape != right.shape:
            raise RuntimeError("mul: expected sparse tensors of the same size")
        kept = torch.isin(flat_indices(left), flat_indices(right)).nonzero().squeeze(1)
        indices = left._pairs[0].index_select(1, kept)
        mask = wrapped(indices, left._pairs[1].index_select(0, kept), left.shape, True)
        values = values_of(left).index_select(0, kept) * masked_by(right, mask)
        return make(indices, values, left.shape, coalesced=True)
    return _rebuilt(a, values_of(a) * masked_by(b.expand(a.shape), a))


def _div(a: Any, b: Any, *, rounding_mode: Any = None) -> Any:
    if isinstance(b, SparseTensor) or (isinstance(b, Tensor) and b.dim()):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor")
    return _rebuilt(a, torch.div(values_of(a), b, rounding_mode=rounding_mode))


def _scale_in_place(operation: Callable[..., Any]) -> Callable[..., Any]:
    def scale(a: Any, b: Any) -> Any:
        result = operation(a, b)
        a._pairs, a._coalesced = result._pairs, result._coalesced
        return a

    return scale


def _unary(name: str) -> Callable[..., Any]:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = a.coalesce() if name not in ("neg", "positive") else a
        return _rebuilt(tensor, getattr(torch, name)(values_of(tensor), *args, **kwargs))

    return call


# ---- products -----------------------------------------------------------------------------------


def _matrices(a: Any, b: Any) -> None:
    if a.dim() != 2 or b.dim() not in (1, 2):
        raise RuntimeError(f"mm: expected matrices, but got {a.dim()}-D and {b.dim()}-D tensors")
    if a.size(1) != b.size(0):
        raise RuntimeError(
            f"mm: Expected dim 0 size {a.size(1)}, got {b.size(0)}: {list(a.shape)} and "
            f"{list(b.shape)} cannot be multiplied"
        )


def _mm(a: Any, b: Any) -> Any:
    _matrices(a, b)
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return _sparse_product(a.coalesce(), b.coalesce())
    if isinstance(b, SparseTensor):
        return _mm(_transpose(b, 0, 1), a.t()).t()
    rows, columns = a._pairs[0]
    values = values_of(a).unsqueeze(1)
    picked = b.index_select(0, columns) if b.dim() == 2 else b[columns].unsqueeze(1)
    out = picked.new_zeros((a.size(0), picked.size(1))).index_add(0, rows, values * picked)
    return out if b.dim() == 2 else out.squeeze(1)


def _sparse_product(a: Any, b: Any) -> Any:
    rows, inner = a._pairs[0]
    b_rows, b_columns = b._pairs[0]
    counts = torch.bincount(b_rows, minlength=b.size(0))
    starts = counts.cumsum(0) - counts
    repeats = counts[inner]
    left = torch.repeat_interleave(torch.arange(rows.numel()), repeats)
    offsets = torch.arange(left.numel()) - (repeats.cumsum(0) - repeats)[left]
    right = starts[inner[left]] + offsets
    values = values_of(a)[left] * values_of(b)[right]
    indices = torch.stack([rows[left], b_columns[right]])
    return make(indices, values, (a.size(0), b.size(1)), coalesced=False).coalesce()


def _addmm(base: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = _mm(a, b)
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (base if beta == 1 else base * beta)


# ---- shapes and sums ----------------------------------------------------------------------------


def _transpose(a: Any, dim0: int, dim1: int) -> Any:
    dims = list(range(a.dim()))
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return _permute(a, dims)


def _permute(a: Any, *dims: Any) -> Any:
    order = [d % a.dim() for d in (dims[0] if isinstance(dims[0], (list, tuple)) else dims)]
    count = a.sparse_dim()
    if sorted(order[:count]) != list(range(count)):
        raise NotImplementedError("permute: sparse and dense dimensions cannot change places")
    values = values_of(a)
    if order[count:] != list(range(count, a.dim())):
        values = values.permute(0, *(d - count + 1 for d in order[count:]))
    indices = a._pairs[0][order[:count]]
    return make(indices, values, [a.size(d) for d in order], coalesced=False)


def _t(a: Any) -> Any:
    return _transpose(a, 0, 1) if a.dim() == 2 else a


def sum_of(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum all elements, or along dimensions; sparse if a sparse dimension remains."""
    values = values_of(a) if dtype is None else values_of(a).to(dtype)
    if dim is None or dim == []:
        return values.sum()
    dims = sorted({d % a.dim() for d in ([dim] if isinstance(dim, int) else dim)})
    count = a.sparse_dim()
    dense = [d - count + 1 for d in dims if d >= count]
    if dense:
        values = values.sum(dense, keepdim)
    kept = [d for d in range(count) if d not in dims]
    size = [1 if d in dims else n for d, n in enumerate(a.shape) if keepdim or d not in dims]
    if not kept:
        total = values.sum(0)
        return total.reshape(size) if keepdim else total
    indices = a._pairs[0][list(range(count)) if keepdim else kept]
    if keepdim:
        gone = torch.tensor([d in dims for d in range(count)]).unsqueeze(1)
        indices = indices.masked_fill(gone, 0)
    return make(indices, values, size, coalesced=False).coalesce()


def softmax(a: Any, dim: int, *, logarithm: bool = False) -> Any:
    """Compute the softmax of the given elements along a sparse dimension."""
    tensor: Any = a.coalesce()
    dim, count = dim % tensor.dim(), tensor.sparse_dim()
    values = values_of(tensor)
    if dim >= count:
        function = torch.log_softmax if logarithm else torch.softmax
        return _rebuilt(tensor, function(values, dim - count + 1))
    rest = [d for d in range(count) if d != dim]
    groups = torch.zeros(tensor._nnz(), dtype=torch.int64)
    for d in rest:
        groups = groups * tensor.size(d) + tensor._pairs[0][d]
    _, groups = torch.unique(groups, return_inverse=True)
    total = int(groups.max()) + 1 if groups.numel() else 0
    wide = groups.reshape(-1, *[1] * (values.dim() - 1)).expand(values.shape)
    lowest = torch.full((total, *values.shape[1:]), -torch.inf, dtype=values.dtype)
    largest = lowest.scatter_reduce(0, wide, values.detach(), "amax")
    shifted = values - largest[groups]
    sums = values.new_zeros(largest.shape).index_add(0, groups, shifted.exp())[groups]
    return _rebuilt(tensor, shifted - sums.log() if logarithm else shifted.exp() / sums)


def from_dense(tensor: Tensor, sparse_dim: int | None = None) -> Any:
    """Return a sparse tensor of the elements that are not zero."""
    count = tensor.dim() if sparse_dim is None else sparse_dim
    if not 0 <= count <= tensor.dim() or (count == 0 and tensor.dim()):
        raise RuntimeError(f"to_sparse: {sparse_dim} sparse dimensions of {tensor.dim()}")
    filled = tensor != 0
    if count < tensor.dim():
        filled = filled.flatten(count).any(-1)
    indices = filled.nonzero().t().contiguous()
    values = tensor[tuple(indices)] if count else tensor.reshape(1)
    return make(indices, values, tensor.shape, coalesced=True)


def masked(tensor: Any, mask: Any) -> Any:
    """Return the elements of a tensor at the indices of a sparse one."""
    if not isinstance(mask, SparseTensor):
        raise RuntimeError("sparse_mask: expected the mask to be sparse")
    return _rebuilt(mask, masked_by(tensor, mask))


def _select(a: Any, dim: int, index: int) -> Any:
    dim %= a.dim()
    count = a.sparse_dim()
    size = [n for d, n in enumerate(a.shape) if d != dim]
    index %= a.size(dim)
    if dim >= count:
        values = values_of(a).select(dim - count + 1, index)
        return make(a._pairs[0], values, size, coalesced=a._coalesced)
    places = (a._pairs[0][dim] == index).nonzero().squeeze(1)
    values = values_of(a).index_select(0, places)
    if count == 1:
        return values.sum(0)
    rows = [d for d in range(count) if d != dim]
    indices = a._pairs[0][rows].index_select(1, places)
    return make(indices, values, size, coalesced=a._coalesced)


def _index_select(a: Any, dim: int, index: Tensor) -> Any:
    return from_dense(torch.index_select(a.to_dense(), dim, index), a.sparse_dim())


# ---- copies -------------------------------------------------------------------------------------


def _detach(a: Any) -> Any:
    return wrapped(*a._pairs, a.shape, a._coalesced)


def _clone(a: Any, *, memory_format: Any = None) -> Any:
    return wrapped(a._pairs[0].clone(), a._pairs[1].clone(), a.shape, a._coalesced)


def _to_copy(a: Any, *, dtype: Any = None, device: Any = None, **options: Any) -> Any:
    indices = a._pairs[0].to(device) if device is not None else a._pairs[0]
    values = a._pairs[1].to(dtype=dtype, device=device)
    return wrapped(indices, values, a.shape, a._coalesced)


def _zeros_like(a: Any, *, dtype: Any = None, **options: Any) -> Any:
    indices, values = a._pairs
    empty = values[:0] if dtype is None else values[:0].to(dtype)
    return wrapped(indices[:, :0], empty, a.shape, True)


def _zero_in_place(a: Any) -> Any:
    empty = _zeros_like(a)
    a._pairs, a._coalesced = empty._pairs, True
    return a


def _copy_in_place(a: Any, b: Any, non_blocking: bool = False) -> Any:
    if not isinstance(a, SparseTensor):
        return a.copy_(b.to_dense())
    source = b if isinstance(b, SparseTensor) else from_dense(b)
    a._pairs, a._coalesced = source._pairs, source._coalesced
    return a


def _same_size(a: Any, b: Any) -> bool:
    return tuple(a.shape) == tuple(b.shape)


_ZERO_PRESERVING = [
    "neg",
    "abs",
    "sqrt",
    "square",
    "sin",
    "sinh",
    "asin",
    "asinh",
    "tan",
    "tanh",
    "atan",
    "atanh",
    "expm1",
    "log1p",
    "relu",
    "sign",
    "sgn",
    "ceil",
    "floor",
    "round",
    "trunc",
    "pow",
    "isnan",
    "isinf",
    "positive",
    "deg2rad",
    "rad2deg",
    "erf",
    "erfinv",
]

_OPERATORS: dict[str, Callable[..., Any]] = {
    "detach": _detach,
    "alias": _detach,
    "clone": _clone,
    "_to_copy": _to_copy,
    "zeros_like": _zeros_like,
    "zero_": _zero_in_place,
    "copy_": _copy_in_place,
    "is_same_size": _same_size,
    "add": _add,
    "add_": _add_in_place,
    "sub": _sub,
    "mul": _mul,
    "mul_": _scale_in_place(_mul),
    "div": _div,
    "div_": _scale_in_place(_div),
    "mm": _mm,
    "mv": _mm,
    "addmm": _addmm,
    "t": _t,
    "transpose": _transpose,
    "permute": _permute,
    "sum": sum_of,
    "select": _select,
    "index_select": _index_select,
    **{name: _unary(name) for name in _ZERO_PRESERVING},
}

_BY_NAME = {
    **{
        name: _OPERATORS[name] for name in ("mm", "mv", "addmm", "sum", "t", "transpose", "permute")
    },
    **{name: _OPERATORS[name] for name in ("select", "index_select", *_ZERO_PRESERVING)},
    "add": _add,
    "sub": _sub,
    "subtract": _sub,
    "mul": _mul,
    "multiply": _mul,
    "div": _div,
    "divide": _div,
    "true_divide": _div,
    "matmul": _mm,
    "spmm": _mm,
    "dsmm": _mm,
    "__add__": _add,
    "__radd__": _add,
    "__sub__": _sub,
    "__mul__": _mul,
    "__rmul__": _mul,
    "__truediv__": _div,
    "__div__": _div,
    "__matmul__": _mm,
    "__rmatmul__": lambda a, b: _mm(b, a),
    "__neg__": _OPERATORS["neg"],
    "__pow__": _OPERATORS["pow"],
    "__getitem__": lambda a, index: _item(a, index),
    "sparse_mask": masked,
    "softmax": lambda a, dim, dtype=None: softmax(a, dim),
    "log_softmax": lambda a, dim, dtype=None: softmax(a, dim, logarithm=True),
}


def _item(a: Any, index: Any) -> Any:
    if isinstance(index, int):
        return _select(a, 0, index)
    if isinstance(index, tuple) and all(isinstance(i, int) for i in index):
        for i in index:
            a = _select(a, 0, i) if isinstance(a, SparseTensor) else a[i]
        return a
    raise NotImplementedError("indexing a sparse tensor works with integers only")


def of_function(func: Any) -> Callable[..., Any] | None:
    """Return the sparse form of a public function or method, if there is one."""
    return _BY_NAME.get(getattr(func, "__name__", ""))


def of_operator(func: Any) -> Callable[..., Any]:
    """Return the sparse form of an operator."""
    name = func.name().partition("::")[2].partition(".")[0]
    found = _OPERATORS.get(name)
    if found is None:
        raise NotImplementedError(
            f"Could not run '{func.name().partition('.')[0]}' with arguments from the 'SparseCPU' "
            "backend: sparse tensors do not support it. Use Tensor.to_dense() first."
        )
    return found
