"""What functions and operators do with tensors of the compressed layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._composites import wrapped_axis
from torch.sparse import _elementwise as elementwise
from torch.sparse import _functions
from torch.sparse import _products as products
from torch.sparse import _shapes as shapes
from torch.sparse._base import SparseBase, sum_by_key, tracked, values_of
from torch.sparse._compressed import (
    CompressedTensor,
    coordinates,
    flat_keys,
    flat_values,
    from_keys,
    has_indices_of,
    make,
    wrapped,
)
from torch.sparse._conversions import sparse_mask, to_sparse
from torch.sparse._factories import FACTORIES
from torch.sparse._layouts import layout_name
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor


# ---- arithmetic ---------------------------------------------------------------------------------


def _add(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    if not isinstance(a, SparseBase):
        return _add_to_dense(a, b, alpha)
    if not isinstance(b, SparseBase):
        return _add_to_dense(b if alpha == 1 else b * alpha, a, 1)
    if a.shape != b.shape:
        raise RuntimeError(
            "torch.add: Expected input tensors to have the same shape, but got tensor `self` with "
            f"shape {list(a.shape)} and tensor `other` with shape {list(b.shape)}"
        )
    if not isinstance(a, CompressedTensor) or a.layout is not b.layout:
        raise RuntimeError(f"add: unsupported layouts {layout_name(a)} and {layout_name(b)}")
    if a._blocksize != b._blocksize:  # type: ignore[attr-defined]
        raise RuntimeError("add: expected sparse tensors with blocks of the same size")
    second = b if alpha == 1 else elementwise.scaled(b, alpha)
    if has_indices_of(a, second):
        return tracked(a, values_of(a) + values_of(second))
    return _union(a, second)


def _union(a: Any, b: Any) -> Any:
    """Add tensors with different indices."""
    keys, total = sum_by_key(
        torch.cat([flat_keys(a), flat_keys(b)]), torch.cat([flat_values(a), flat_values(b)])
    )
    return from_keys(a._kind, keys, total, a.shape, a._batch, a._parts[0].dtype)


def _add_to_dense(a: Any, b: Any, alpha: Any) -> Tensor:
    shape = list(a.shape) if isinstance(a, Tensor) else []
    if shape != list(b.shape):
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {shape} while "
            f"other has size {list(b.shape)} (FYI: op2-sparse addition does not currently support "
            "broadcasting)"
        )
    if a.dim() == 2 and not b._kind.has_blocks:
        _, row, column = coordinates(b)
        values = values_of(b) if alpha == 1 else values_of(b) * alpha
        dtype = torch.result_type(a, values)
        return a.to(dtype).index_put((row, column), values.to(dtype), accumulate=True)
    return torch.add(a, b.to_dense(), alpha=alpha)


def _sub(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    return _add(a, b, alpha=-alpha)


def _add_in_place(a: Any, b: Any, *, alpha: Any = 1) -> Any:
    if isinstance(a, SparseBase):
        return elementwise.in_place(_add)(a, b, alpha=alpha)
    return a.copy_(_add_to_dense(a, b, alpha))


def _mul(a: Any, b: Any) -> Any:
    if not isinstance(a, CompressedTensor):
        a, b = b, a
    if elementwise.is_scalar(b):
        return elementwise.scaled(a, b)
    if a.shape != b.shape:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(b.shape)} but mask has size {list(a.shape)}"
        )
    if has_indices_of(b, a):
        return tracked(a, values_of(a) * values_of(b))
    if not isinstance(b, SparseBase):
        return tracked(a, values_of(a) * a._values_at_indices(b))
    if a._kind.has_blocks:
        raise RuntimeError(
            "empty_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{layout_name(a)}"
        )
    return to_sparse(_functions.mul(to_sparse(a), to_sparse(b)), layout=a.layout)


# ---- shapes, sums and parts -----------------------------------------------------------------------


def _transpose(a: Any, dim0: int, dim1: int) -> Any:
    first, second = sorted((dim0 % a.dim(), dim1 % a.dim()))
    if first == second:
        return tracked(a, values_of(a))
    if a.dense_dim():
        raise RuntimeError(
            "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported"
        )
    batch = len(a._batch)
    if (first < batch) != (second < batch):
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), "
            f"got {first}(Batch) and {second}(Sparse)"
        )
    size = list(a.shape)
    size[first], size[second] = size[second], size[first]
    compressed, plain, _ = a._parts
    values = values_of(a)
    if first < batch:
        parts = [each.transpose(first, second) for each in (compressed, plain, values)]
        return make(a._kind, *parts, size)
    if a._kind.has_blocks:
        values = values.transpose(-2, -1)
    return make(a._kind.transposed, compressed, plain, values, size)


def _t(a: Any) -> Any:
    if a.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {a.dim()}D")
    return _transpose(a, 0, 1)


def _sum(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None or dim == [] or dim == ():
        return values_of(a).sum(dtype=dtype)
    if a.layout is not torch.sparse_csr:
        raise RuntimeError(
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, "
            f"but got layout {layout_name(a)}"
        )
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if a._batch or a.dense_dim():
        raise RuntimeError("sum: batch and dense dimensions are not supported for CSR tensors")
    dims = {d % 2 for d in ([dim] if isinstance(dim, int) else dim)}
    _, row, column = coordinates(a)
    row = torch.zeros_like(row) if 0 in dims else row
    column = torch.zeros_like(column) if 1 in dims else column
    size = [1 if d in dims else n for d, n in enumerate(a.shape)]
    values = values_of(a).to(dtype or values_of(a).sum().dtype)
    keys, total = sum_by_key(row * size[1] + column, values)
    return from_keys(a._kind, keys, total, size, (), a._parts[0].dtype)


def _select(a: Any, dim: int, index: int) -> Any:
    dim = wrapped_axis(dim, a.dim())
    index = shapes.checked_index(a, dim, index)
    batch = len(a._batch)
    if batch <= dim < batch + 2:
        if batch:
            raise RuntimeError(
                "selecting sparse dimensions is not supported for batched sparse compressed tensors."
            )
        return shapes.select(to_sparse(a), dim, index)
    compressed, plain, _ = a._parts
    size = [n for d, n in enumerate(a.shape) if d != dim]
    if dim < batch:
        parts = [each.select(dim, index) for each in (compressed, plain, values_of(a))]
        return make(a._kind, *parts, size)
    values = values_of(a).select(dim - 2 + 1 + a._kind.block_dims, index)
    return make(a._kind, compressed, plain, values, size)


def _softmax(a: Any, *args: Any, **kwargs: Any) -> Any:
    raise could_not_run("aten::_sparse_softmax", [a])


def _triangular_solve(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Solve triangular equations; the matrix is not copied to the result."""
    if isinstance(b, SparseBase):
        raise could_not_run("aten::triangular_solve", [b])
    found = torch.triangular_solve(b, A.to_dense(), upper, transpose, unitriangular)
    parts: Any = (found.solution, b.new_empty(0))
    return torch.return_types.triangular_solve(parts)  # type: ignore[call-arg]


# ---- copies -------------------------------------------------------------------------------------


def _copy_in_place(a: Any, b: Any, non_blocking: bool = False) -> Any:
    if not isinstance(a, SparseBase):
        return a.copy_(b.to_dense())
    if not isinstance(a, CompressedTensor) or a.layout is not b.layout:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different layouts is not "
            f"supported. self layout is {layout_name(a)} and src layout is {layout_name(b)}"
        )
    if a._nnz() != b._nnz():
        raise RuntimeError(
            "torch.copy_: only sparse compressed tensors with the same number of specified "
            "elements are supported."
        )
    for mine, other in zip(a._parts, b._parts, strict=True):
        mine.copy_(other)
    return a


def _resize(a: Any, size: Any, *, memory_format: Any = None) -> Any:
    """Change the number of lines, or grow in the other dimension; the elements stay."""
    if len(size) < 2 or a.dense_dim() or a._kind.has_blocks:
        raise RuntimeError(
            "torch.resize_: Only batched sparse CSR matrices are supported, but got size "
            f"{list(size)}"
        )
    plain_dim = -1 if a._kind.by_rows else -2
    if size[plain_dim] < a.shape[plain_dim]:
        raise RuntimeError(
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not "
            f"supported. The original number of columns is {a.shape[plain_dim]} while the "
            f"requested new number of columns is {size[plain_dim]}."
        )
    compressed, plain, values = a._parts
    if tuple(size[:-2]) != tuple(a._batch):
        raise RuntimeError(
            f"torch.resize_: the batch dimensions {list(a._batch)} of a sparse tensor cannot become "
            f"{list(size[:-2])}"
        )
    lines = size[-2 if a._kind.by_rows else -1]
    ends = compressed.new_full((*a._batch, lines + 1), a._nnz())
    kept = min(lines, compressed.size(-1) - 1)
    ends[..., :kept] = compressed[..., :kept]
    return a._become(wrapped(a._kind, ends, plain, values, torch.Size(size)))


def _fill_in_place(a: Any, value: Any) -> Any:
    a._raw_values.fill_(value)
    return a


def _like(value: Any) -> Callable[..., Any]:
    """Return a function that makes a tensor of equal values with the same indices."""

    def call(a: Any, *args: Any, **options: Any) -> Any:
        copied = elementwise.to_copy(
            elementwise.clone(a), dtype=options.get("dtype"), device=options.get("device")
        )
        filling = value if value is not None else (args[0] if args else options["fill_value"])
        return _fill_in_place(copied, filling)

    return call


def _drawn(name: str) -> Callable[..., Any]:
    """Return a function that makes a tensor of random values with the same indices."""

    def call(a: Any, *bounds: Any, dtype: Any = None, device: Any = None, **options: Any) -> Any:
        alike = elementwise.to_copy(elementwise.clone(a), device=device)
        return alike._with_values(getattr(torch, name)(alike._raw_values, *bounds, dtype=dtype))

    return call


_RULES: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": elementwise.div,
    "mm": products.mm,
    "mv": products.mm,
    "addmm": products.addmm,
    "addmv": products.addmm,
    "t": _t,
    "transpose": _transpose,
    "sum": _sum,
    "select": _select,
    **{name: elementwise.unary(name) for name in elementwise.ZERO_PRESERVING},
    "angle": elementwise.unary("angle"),
    "new_empty": FACTORIES["new_empty"],
    "new_zeros": FACTORIES["new_zeros"],
}
OPERATORS: dict[str, Callable[..., Any]] = {
    **_RULES,
    **elementwise.COPIES,
    "add_": _add_in_place,
    "sub_": lambda a, b, *, alpha=1: _add_in_place(a, b, alpha=-alpha),
    **{f"{name}_": elementwise.in_place(_RULES[name]) for name in ("mul", "div")},
    **{f"{name}_": elementwise.unary_in_place(name) for name in elementwise.ZERO_PRESERVING},
    "resize_": _resize,
    "copy_": _copy_in_place,
    "fill_": _fill_in_place,
    "empty_like": _like(0),
    "ones_like": _like(1),
    "full_like": _like(None),
    **{name: _drawn(name) for name in ("rand_like", "randint_like", "randn_like")},
}
BY_NAME: dict[str, Callable[..., Any]] = {
    **_RULES,
    **_functions.named_alike(_RULES),
    "__getitem__": shapes.item,
    "mT": lambda a: _transpose(a, -2, -1),
    "swapaxes": _transpose,
    "swapdims": _transpose,
    "linear": products.linear,
    "relu": elementwise.relu,
    "resize_as_": lambda a, template, *, memory_format=None: _resize(a, template.shape),
    "triangular_solve": _triangular_solve,
    "unbind": lambda a, dim=0: tuple(_select(a, dim, i) for i in range(a.size(dim))),
    "to_sparse": to_sparse,
    "sparse_mask": sparse_mask,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "conj": lambda a: tracked(a, values_of(a).conj()),
    "real": lambda a: tracked(a, values_of(a).real),
    "imag": lambda a: tracked(a, values_of(a).imag),
}
