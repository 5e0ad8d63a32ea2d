"""Functions and operators of sparse tensors in coordinate format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._composites import wrapped_axis
from torch.sparse import _elementwise as elementwise
from torch.sparse import _products as products
from torch.sparse import _shapes as shapes
from torch.sparse._base import tracked, values_of
from torch.sparse._conversions import sparse_mask, to_sparse
from torch.sparse._coordinate_products import bmm
from torch.sparse._factories import FACTORIES, empty_like
from torch.sparse._invariants import scalar_name
from torch.sparse._layouts import layout_name
from torch.sparse._tensor import (
    SparseTensor,
    check_resize,
    flat_indices,
    make,
    masked_by,
    wrapped,
)
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor


# ---- arithmetic ---------------------------------------------------------------------------------


def _add(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    if not isinstance(b, Tensor):
        raise RuntimeError(_DENSE_SUM)
    if not isinstance(b, SparseTensor):
        return _add(b * alpha if alpha != 1 else b, a)
    _check_sizes(a, b)
    values = values_of(b) if alpha == 1 else values_of(b).to(torch.result_type(a, b)) * alpha
    if not isinstance(a, SparseTensor):
        dtype = torch.result_type(a, values)
        return a.to(dtype).index_put(tuple(b._pairs[0]), values.to(dtype), accumulate=True)
    first: Any = a
    if first.sparse_dim() != b.sparse_dim():  # one of them has no elements
        return _sum_with_none(first, tracked(b, values))
    if _have_same_indices(first, b):
        return make(
            first._pairs[0],
            values_of(first) + values,
            first.shape,
            coalesced=first._coalesced or b._coalesced,
        )
    joined = make(
        torch.cat([first._pairs[0], b._pairs[0]], 1),
        torch.cat([values_of(first), values]),
        first.shape,
        coalesced=False,
    )
    return joined.coalesce() if first._coalesced and b._coalesced else joined


def _sum_with_none(a: Any, b: Any) -> Any:
    """Add tensors of which one has no elements."""
    only = b if a._nnz() == 0 else a
    return only.to(torch.result_type(a, b))


def _check_subtraction(a: Any, b: Any) -> None:
    if torch.bool in (a.dtype, getattr(b, "dtype", None)):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def _have_same_indices(a: Any, b: Any) -> bool:
    left, right = a._pairs[0], b._pairs[0]
    return left is right or (
        left.shape == right.shape and not left.is_meta and torch.equal(left, right)
    )


_DENSE_SUM = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."


def _check_sizes(a: Any, b: Any) -> None:
    if a.shape != b.shape:
        if isinstance(a, SparseTensor):
            raise RuntimeError(
                f"add: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != "
                f"{list(b.shape)}"
            )
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same size, but self has size "
            f"{list(a.shape)} while other has size {list(b.shape)} (FYI: dense-sparse addition "
            "does not currently support broadcasting)"
        )
    if isinstance(a, SparseTensor) and a.sparse_dim() != b.sparse_dim() and a._nnz() and b._nnz():
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same density, but 'self' has "
            f"{a.sparse_dim()} sparse dimensions while 'other' has {b.sparse_dim()} sparse "
            "dimensions"
        )


def _sub(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    _check_subtraction(a, b)
    return _add(a, b, alpha=-alpha)


def _sub_in_place(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    _check_subtraction(a, b)
    return _add_in_place(a, b, alpha=-alpha)


def _sparse_first(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return the form of a sum that programs call: a sparse tensor cannot take a dense one."""

    def call(a: Any, b: Any, **options: Any) -> Any:
        if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
            raise RuntimeError(_DENSE_SUM)
        return rule(a, b, **options)

    return call


def _add_in_place(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    wanted = torch.result_type(a, b)
    if not torch.can_cast(wanted, a.dtype):
        raise RuntimeError(
            f"Can't convert result type {scalar_name(wanted)} to output {scalar_name(a.dtype)} in "
            "add operation"
        )
    if isinstance(a, SparseTensor):
        return elementwise.in_place(_sparse_first(_add))(a, b, alpha=alpha)
    values = b._pairs[1] if alpha == 1 else b._pairs[1].to(wanted) * alpha
    return a.index_put_(tuple(b._pairs[0]), values.to(a.dtype), accumulate=True)


def mul(a: Any, b: Any) -> Any:
    """Multiply elements, of which one tensor or both are sparse."""
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if elementwise.is_scalar(b):
        return elementwise.scaled(a, b)
    if isinstance(b, SparseTensor):
        return _mul_sparse(a, b)
    shape = torch.broadcast_shapes(a.shape, b.shape)
    a = shapes.expanded(a, shape)
    return tracked(a, values_of(a) * masked_by(b.expand(shape), a))


def _mul_sparse(a: Any, b: Any) -> Any:
    for one, other in ((a, b), (b, a)):
        if not other.dim():
            product = elementwise.scaled(one, other.to_dense())
            return product.to(torch.result_type(a, b))
    count = a.sparse_dim()
    if (a.dim(), count) != (b.dim(), b.sparse_dim()) or a.shape[:count] != b.shape[:count]:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, "
            "number of sparse dimensions, and shape of sparse dimensions"
        )
    left, right = a.coalesce(), b.coalesce()
    kept = torch.isin(flat_indices(left), flat_indices(right)).nonzero().squeeze(1)
    indices = left._pairs[0].index_select(1, kept)
    mask = wrapped(indices, left._pairs[1].index_select(0, kept), left.shape, True)
    values = values_of(left).index_select(0, kept) * masked_by(right, mask)
    return make(indices, values, [*left.shape[:count], *values.shape[1:]], coalesced=True)


def _mul_in_place(a: Any, b: Any) -> Any:
    if not isinstance(a, SparseTensor):
        return a.mul_(b.to_dense())
    product = mul(a, b)
    if product.dtype != a.dtype and isinstance(b, SparseTensor):
        if not torch.can_cast(product.dtype, a.dtype):
            raise RuntimeError(
                f"Can't convert result type {scalar_name(product.dtype)} to output "
                f"{scalar_name(a.dtype)} in mul operation"
            )
        product = product.to(a.dtype)
    if product.dtype != a.dtype:
        raise RuntimeError(
            f"dtype of values ({scalar_name(product.dtype)}) must match dtype of sparse tensor "
            f"({scalar_name(a.dtype)})"
        )
    return a._become(product)


# ---- sums ----------------------------------------------------------------------------------------


def sum_of(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum all elements, or along dimensions; sparse if a sparse dimension remains."""
    values = values_of(a) if dtype is None else values_of(a).to(dtype)
    if dim is None or dim == []:
        return values.sum()
    dims = _distinct(dim, a.dim())
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


def _distinct(dim: Any, rank: int) -> list[int]:
    dims = [wrapped_axis(d, rank) for d in ([dim] if isinstance(dim, int) else dim)]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return sorted(dims)


def _sum(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    integral = not (a.is_floating_point() or a.is_complex())
    return sum_of(a, dim, keepdim, dtype=torch.int64 if integral and dtype is None else dtype)


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
    dim = wrapped_axis(dim, a.dim())
    if not a.is_floating_point():
        kind = "log_softmax" if logarithm else "softmax"
        raise NotImplementedError(f"\"{kind}\" not implemented for '{scalar_name(a.dtype)}'")
    tensor: Any = a.coalesce()
    count = tensor.sparse_dim()
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


def _norm(a: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    dims = [] if dim is None else _distinct(dim, a.dim())
    if dims and len(dims) < a.dim():
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or "
            "contain all dimensions of the input"
        )
    if dtype is not None and p in (None, "fro"):
        raise ValueError("dtype argument is not supported in frobenius norm")
    for given, what in ((keepdim, "keepdim=True"), (dtype is not None, "'dtype' argument")):
        if given:
            raise RuntimeError(f"norm_sparse currently does not support {what}")
    return torch.norm(values_of(a.coalesce()), 2 if p in (None, "fro") else p)


def _any(a: Any, *args: Any, **options: Any) -> Any:
    if args or options:
        raise could_not_run("aten::any.dim", [a])
    return values_of(a.coalesce()).any()


# ---- copies -------------------------------------------------------------------------------------


def _copy_in_place(a: Any, b: Any, non_blocking: bool = False) -> Any:
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{a.type()} and src type = {b.type()}"
        )
    check_resize(a, b.shape, b.sparse_dim(), b.dense_dim())
    return a._become(b.to(a.dtype))


def _resize_as(a: Any, template: Any, *, memory_format: Any = None) -> Any:
    if not isinstance(a, SparseTensor) or not isinstance(template, SparseTensor):
        raise could_not_run("aten::resize_", [a])
    return a.sparse_resize_(template.shape, template.sparse_dim(), template.dense_dim())


def _turn_in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, *dims: a._become(function(a, *dims))


# ---- tables -------------------------------------------------------------------------------------

_RULES: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": mul,
    "div": elementwise.div,
    "mm": products.mm,
    "mv": products.mv,
    "addmm": products.addmm,
    "addmv": products.addmm,
    "sum": _sum,
    **shapes.SHAPES,
    **{
        name: elementwise.unary(name)
        for name in (*elementwise.ZERO_PRESERVING, "nan_to_num", "square")
    },
    "pow": elementwise.power,
    "floor_divide": elementwise.floor_divide,
    "bmm": bmm,
    **FACTORIES,
}
OPERATORS: dict[str, Callable[..., Any]] = {
    **_RULES,
    **elementwise.COPIES,
    "copy_": _copy_in_place,
    "add_": _add_in_place,
    "sub_": _sub_in_place,
    **{
        f"{name}_": elementwise.in_place(_RULES[name])
        for name in ("div", "floor_divide", "pow", "square")
    },
    **{
        f"{name}_": elementwise.unary_in_place(name)
        for name in (*elementwise.ZERO_PRESERVING, "nan_to_num")
    },
    "mul_": _mul_in_place,
    "t_": _turn_in_place(shapes.t),
    "transpose_": _turn_in_place(shapes.transpose),
    "empty_like": empty_like,
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
        "__floordiv__": elementwise.floor_divide,
    }


_CALLED = {**_RULES, "add": _sparse_first(_add), "sub": _sparse_first(_sub)}
BY_NAME: dict[str, Callable[..., Any]] = {
    **_CALLED,
    **named_alike(_CALLED),
    **shapes.BY_NAME,
    "__pow__": _RULES["pow"],
    "any": _any,
    "addmm_": products.addmm_in_place,
    "linear": products.linear,
    "relu": elementwise.relu,
    "resize_as_": _resize_as,
    "norm": _norm,
    "to_sparse": to_sparse,
    "sparse_mask": sparse_mask,
    "softmax": lambda a, dim, dtype=None, _stacklevel=3: softmax(a, dim),
    "log_softmax": lambda a, dim, dtype=None, _stacklevel=3: softmax(a, dim, logarithm=True),
}
