"""Functions and operators of sparse tensors in coordinate format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.sparse import _elementwise as elementwise
from torch.sparse import _products as products
from torch.sparse._base import tracked, values_of
from torch.sparse._conversions import sparse_mask, to_sparse
from torch.sparse._invariants import scalar_name
from torch.sparse._layouts import layout_name
from torch.sparse._tensor import SparseTensor, flat_indices, make, masked_by, wrapped
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor


# ---- arithmetic ---------------------------------------------------------------------------------


def _add(a: Any, b: Any, *, alpha: Any = 1) -> Any:
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


def _check_subtraction(a: Any, b: Any) -> None:
    if torch.bool in (a.dtype, getattr(b, "dtype", None)):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def _sub(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    _check_subtraction(a, b)
    return _add(a, b, alpha=-alpha)


def _sub_in_place(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    _check_subtraction(a, b)
    return _add_in_place(a, b, alpha=-alpha)


def _add_in_place(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    wanted = torch.result_type(a, b)
    if not torch.can_cast(wanted, a.dtype):
        raise RuntimeError(
            f"Can't convert result type {scalar_name(wanted)} to output {scalar_name(a.dtype)} in "
            "add operation"
        )
    if isinstance(a, SparseTensor):
        if isinstance(b, Tensor) and not isinstance(b, SparseTensor):
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
            )
        return elementwise.in_place(_add)(a, b, alpha=alpha)
    values = b._pairs[1] if alpha == 1 else b._pairs[1] * alpha
    return a.index_put_(tuple(b._pairs[0]), values.to(a.dtype), accumulate=True)


def mul(a: Any, b: Any) -> Any:
    """Multiply elements, of which one tensor or both are sparse."""
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if elementwise.is_scalar(b):
        return elementwise.scaled(a, b)
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
    return tracked(a, values_of(a) * masked_by(b.expand(a.shape), a))


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
    if a.sparse_dim() > 2 or a.dense_dim():
        raise RuntimeError(
            "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
            f"{a.sparse_dim()} sparse and {a.dense_dim()} dense dimensions"
        )
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
        gone = torch.tensor([d in dims for d in range(count)], device=indices.device).unsqueeze(1)
        indices = indices.masked_fill(gone, 0)
    return make(indices, values, size, coalesced=False).coalesce()


def _sparse_sum(input: Any, dim: Any = None, *, dtype: Any = None) -> Any:
    """Sum the elements of a sparse tensor, all or along dimensions; torch.sparse.sum is this operator."""
    if input.layout is not torch.sparse_coo:
        if dim is not None:
            raise could_not_run("aten::_sparse_sum", [input])
        raise RuntimeError(
            "coalesce expected sparse coordinate tensor layout but got " + layout_name(input)
        )
    return sum_of(input, dim, dtype=dtype)


def softmax(a: Any, dim: int, *, logarithm: bool = False) -> Any:
    """Compute the softmax of the given elements along a sparse dimension."""
    tensor: Any = a.coalesce()
    dim, count = dim % tensor.dim(), tensor.sparse_dim()
    values = values_of(tensor)
    if dim >= count:
        function = torch.log_softmax if logarithm else torch.softmax
        return tracked(tensor, function(values, dim - count + 1))
    rest = [d for d in range(count) if d != dim]
    groups = torch.zeros(tensor._nnz(), dtype=torch.int64, device=tensor.device)
    for d in rest:
        groups = groups * tensor.size(d) + tensor._pairs[0][d]
    _, groups = torch.unique(groups, return_inverse=True)
    total = int(groups.max()) + 1 if groups.numel() else 0
    wide = groups.reshape(-1, *[1] * (values.dim() - 1)).expand(values.shape)
    lowest = values.new_full((total, *values.shape[1:]), -torch.inf)
    largest = lowest.scatter_reduce(0, wide, values.detach(), "amax")
    shifted = values - largest[groups]
    sums = values.new_zeros(largest.shape).index_add(0, groups, shifted.exp())[groups]
    return tracked(tensor, shifted - sums.log() if logarithm else shifted.exp() / sums)


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
    dim %= a.dim()
    index = checked_index(a, dim, index)
    count = a.sparse_dim()
    size = [n for d, n in enumerate(a.shape) if d != dim]
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
    return to_sparse(torch.index_select(a.to_dense(), dim, index), a.sparse_dim())


# ---- joining and reducing ------------------------------------------------------------------------


def _unsqueeze(a: Any, dim: int) -> Any:
    dim %= a.dim() + 1
    size = [*a.shape[:dim], 1, *a.shape[dim:]]
    indices, values = a._pairs[0], values_of(a)
    if dim <= a.sparse_dim():
        first = indices.new_zeros((1, a._nnz()))
        indices = torch.cat([indices[:dim], first, indices[dim:]])
    else:
        values = values.unsqueeze(dim - a.sparse_dim() + 1)
    return make(indices, values, size, coalesced=a._coalesced)


def _cat(tensors: Any, dim: int = 0) -> Any:
    first = tensors[0]
    dim %= first.dim()
    if any(
        not isinstance(a, SparseTensor) or a.sparse_dim() != first.sparse_dim() for a in tensors
    ):
        raise RuntimeError("cat: expected sparse tensors with equally many sparse dimensions")
    if dim >= first.sparse_dim():
        raise NotImplementedError("cat: sparse tensors are joined along a sparse dimension")
    size, indices = list(first.shape), []
    size[dim] = 0
    for a in tensors:
        if [*a.shape[:dim], *a.shape[dim + 1 :]] != [*size[:dim], *size[dim + 1 :]]:
            raise RuntimeError(
                f"cat: sizes of tensors must match except in dimension {dim}, but got "
                f"{list(first.shape)} and {list(a.shape)}"
            )
        shift = torch.zeros_like(a._pairs[0])
        shift[dim] = size[dim]
        indices.append(a._pairs[0] + shift)
        size[dim] += a.size(dim)
    values = torch.cat([values_of(a) for a in tensors])
    return make(torch.cat(indices, 1), values, size, coalesced=False)


def _stack(tensors: Any, dim: int = 0) -> Any:
    return _cat([_unsqueeze(a, dim) for a in tensors], dim)


def _norm(a: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    if dim is not None or keepdim:
        raise NotImplementedError("norm: only the norm of all elements of a sparse tensor")
    return torch.norm(values_of(a.coalesce()), 2 if p in (None, "fro") else p, dtype=dtype)


# ---- copies -------------------------------------------------------------------------------------


def _copy_in_place(a: Any, b: Any, non_blocking: bool = False) -> Any:
    if not isinstance(a, SparseTensor):
        return a.copy_(b.to_dense())
    return a._adopt(to_sparse(b))


def _item(a: Any, index: Any) -> Any:
    places = index if isinstance(index, tuple) else (index,)
    dim = 0
    for place in places:
        if isinstance(place, slice) and place == slice(None):
            dim += 1
            continue
        if isinstance(place, bool) or not _is_integer(place):
            raise NotImplementedError("indexing a sparse tensor works with integers and : only")
        i = int(place)
        if not -a.size(dim) <= i < a.size(dim):
            raise IndexError(
                f"index {i} is out of bounds for dimension {dim} with size {a.size(dim)}"
            )
        a = a.select(dim, i)
    return a


def _is_integer(index: Any) -> bool:
    if isinstance(index, Tensor):
        return index.dim() == 0 and index.dtype in (torch.int32, torch.int64)
    return hasattr(index, "__index__")


# ---- tables -------------------------------------------------------------------------------------

_RULES: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": mul,
    "div": elementwise.div,
    "mm": products.mm,
    "mv": products.mm,
    "addmm": products.addmm,
    "addmv": products.addmm,
    "t": _t,
    "transpose": _transpose,
    "permute": _permute,
    "sum": sum_of,
    "select": select,
    "index_select": _index_select,
    "unsqueeze": _unsqueeze,
    **{
        name: elementwise.unary(name)
        for name in (*elementwise.ZERO_PRESERVING, "nan_to_num", "pow", "square")
    },
}
OPERATORS: dict[str, Callable[..., Any]] = {
    **_RULES,
    **elementwise.COPIES,
    "copy_": _copy_in_place,
    "add_": _add_in_place,
    "sub_": _sub_in_place,
    **{
        f"{name}_": elementwise.in_place(_RULES[name])
        for name in ("mul", "div", "pow", "square", *elementwise.ZERO_PRESERVING)
    },
}


def named_alike(rules: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return rules for the other names of the arithmetic functions."""
    add, mul, mm = rules["add"], rules["mul"], rules["mm"]
    return {
        "subtract": rules["sub"],
        "multiply": mul,
        "divide": rules["div"],
        "true_divide": rules["div"],
        "matmul": mm,
        "spmm": mm,
        "dsmm": mm,
        "__add__": add,
        "__radd__": add,
        "__sub__": rules["sub"],
        "__rsub__": lambda a, b: add(rules["neg"](a), b),
        "__mul__": mul,
        "__rmul__": mul,
        "__truediv__": rules["div"],
        "__div__": rules["div"],
        "__matmul__": mm,
        "__rmatmul__": lambda a, b: mm(b, a),
        "__neg__": rules["neg"],
        "__getitem__": _item,
    }


BY_NAME: dict[str, Callable[..., Any]] = {
    **_RULES,
    **named_alike(_RULES),
    "__pow__": _RULES["pow"],
    "any": lambda a: values_of(a.coalesce()).any(),
    "cat": _cat,
    "linear": products.linear,
    "norm": _norm,
    "stack": _stack,
    "unbind": lambda a, dim=0: tuple(select(a, dim, i) for i in range(a.size(dim))),
    "to_sparse": to_sparse,
    "sparse_mask": sparse_mask,
    "softmax": lambda a, dim, dtype=None: softmax(a, dim),
    "log_softmax": lambda a, dim, dtype=None: softmax(a, dim, logarithm=True),
}
