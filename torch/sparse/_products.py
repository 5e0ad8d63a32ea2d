"""Products of matrices and vectors of which at least one is sparse."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.sparse import _tensor as coo
from torch.sparse._base import SparseBase, sum_by_key, tracked, values_of
from torch.sparse._compressed import (
    CompressedTensor,
    coordinates,
    flat_values,
    from_keys,
    make,
)
from torch.sparse._conversions import to_sparse
from torch.sparse._invariants import scalar_name
from torch.sparse._layouts import COMPRESSED, layout_name
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor


def mm(a: Any, b: Any) -> Any:
    """Multiply two matrices, or a matrix and a vector, of which at least one is sparse."""
    _check_shapes(a, b)
    if isinstance(a, SparseBase) and isinstance(b, SparseBase):
        return _sparse_by_sparse(a, b)
    if isinstance(b, SparseBase):
        if a.dim() == 1:
            return mm(b.transpose(0, 1), a)
        if a.dim() > 2:
            return mm(a.flatten(0, -2), b).reshape(*a.shape[:-1], b.size(1))
        return mm(b.transpose(0, 1), a.t()).t()
    if b.dim() == 1:
        return mm(a, b.unsqueeze(1)).squeeze(1)
    return _sparse_by_dense(a, b)


def mv(a: Any, b: Any) -> Any:
    """Multiply a sparse matrix and a vector."""
    if isinstance(a, SparseBase) and a.is_sparse:
        if (a.dim(), b.dim()) != (2, 1):
            raise RuntimeError(
                "mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: "
                f"{a.dim()}Tensor Dim: {b.dim()}"
            )
        if a.size(1) != b.size(0):
            raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return mm(a, b)


def _check_shapes(a: Any, b: Any) -> None:
    if isinstance(b, SparseBase) and not isinstance(a, SparseBase):
        fits = a.dim() >= 1 and b.dim() == 2
    else:
        fits = a.dim() == 2 and b.dim() in (1, 2)
    if not fits:
        raise RuntimeError(f"mm: expected matrices, but got {a.dim()}-D and {b.dim()}-D tensors")
    if a.size(-1) == b.size(0):
        return
    if b.dim() == 1:
        raise RuntimeError(
            f"size mismatch, got input ({a.size(0)}), mat ({a.size(0)}x{a.size(1)}), "
            f"vec ({b.size(0)})"
        )
    shape = "x".join(str(n) for n in a.shape)
    raise RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({shape} and {b.size(0)}x{b.size(1)})"
    )


def _sparse_by_dense(a: Any, b: Tensor) -> Tensor:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected scalar type {scalar_name(a.dtype)} but found {scalar_name(b.dtype)}"
        )
    if isinstance(a, CompressedTensor):
        if a._kind.has_blocks:
            return _blocks_by_dense(a, b)
        # For a vector, the general way below is faster.
        if b.size(1) > 1 and a._kind.by_rows and a.dtype in (torch.float32, torch.float64):
            return _rows_by_dense(a, b)
        _, rows, columns = coordinates(a)
    else:
        rows, columns = a._pairs[0]
    products = values_of(a).unsqueeze(1) * b.index_select(0, columns)
    return products.new_zeros((a.size(0), b.size(1))).index_add(0, rows, products)


def _rows_by_dense(a: Any, b: Tensor) -> Tensor:
    """Multiply a csr matrix: each row of the product is a weighted sum of rows of `b`."""
    starts, columns, _ = a._parts
    if not b.size(1) or not b.size(0):
        return b.new_zeros((a.size(0), b.size(1)))
    values = values_of(a)
    if torch.is_grad_enabled() and (values.requires_grad or b.requires_grad):
        return _RowsByDense.apply(values, b, starts, columns, coordinates(a).row)  # type: ignore[no-any-return]
    return _weighted_sums(b, columns, starts, values)


def _weighted_sums(b: Tensor, columns: Tensor, starts: Tensor, values: Tensor) -> Tensor:
    return torch.embedding_bag(
        b, columns, starts, per_sample_weights=values, include_last_offset=True
    )[0]


class _RowsByDense(Function):
    """A csr matrix times a dense one, with derivatives of any order."""

    @staticmethod
    def forward(
        ctx: Any, values: Tensor, b: Tensor, starts: Tensor, columns: Tensor, rows: Tensor
    ) -> Tensor:
        ctx.save_for_backward(values, b, columns, rows)
        return _weighted_sums(b, columns, starts, values)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        values, b, columns, rows = ctx.saved_tensors
        of_values = of_b = None
        if ctx.needs_input_grad[0]:
            of_values = _RowDots.apply(grad, b, rows, columns)
        if ctx.needs_input_grad[1]:
            of_b = _add_scaled_rows(b, columns, values, grad, rows)
        return of_values, of_b, None, None, None


def _blocks_by_dense(a: Any, b: Tensor) -> Tensor:
    (rows, columns), (height, width) = a._grid, a._blocksize
    _, row, column = coordinates(a)
    strips = b.reshape(columns, width, b.size(1)).index_select(0, column)
    products = torch.bmm(values_of(a), strips)
    total = products.new_zeros((rows, height, b.size(1))).index_add(0, row, products)
    return total.reshape(a.size(0), b.size(1))


def _sparse_by_sparse(a: Any, b: Any) -> Any:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"mat1 dtype {scalar_name(a.dtype)} does not match mat2 dtype {scalar_name(b.dtype)}"
        )
    compressed = [isinstance(each, CompressedTensor) for each in (a, b)]
    size = (a.size(0), b.size(1))
    if not any(compressed):
        rows, columns, values = _joined(a, b.coalesce())
        indices = torch.stack([rows, columns])
        return coo.make(indices, values, size, coalesced=False).coalesce()
    if not all(compressed) or a._kind.has_blocks or b._kind.has_blocks:
        raise not_implemented(a, a, b)
    rows, columns, values = _joined(to_sparse(a), to_sparse(b).coalesce())
    keys, total = sum_by_key(rows * size[1] + columns, values)
    kind = COMPRESSED[torch.sparse_csr]
    return from_keys(kind, keys, total, size, index_dtype=a._parts[0].dtype)


def not_implemented(base: Any, a: Any, b: Any) -> RuntimeError:
    """Return the error that layouts have no product."""
    return RuntimeError(
        "addmm: computation on CPU is not implemented for "
        f"{layout_name(base)} + {layout_name(a)} @ {layout_name(b)}"
    )


def _joined(a: Any, b: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return the products of elements of which the sums are a matrix product.

    Args:
        a: A sparse matrix in coordinate format.
        b: Another one, whose indices are sorted.

    Returns:
        The rows, the columns, and the values, in the order of the elements of `a`.
    """
    rows, inner = a._pairs[0]
    b_rows, b_columns = b._pairs[0]
    counts = torch.bincount(b_rows, minlength=b.size(0))
    starts = counts.cumsum(0) - counts
    repeats = counts[inner]
    left = torch.repeat_interleave(torch.arange(rows.numel(), device=rows.device), repeats)
    firsts = repeats.cumsum(0) - repeats
    offsets = torch.arange(left.numel(), device=rows.device) - firsts[left]
    right = starts[inner[left]] + offsets
    return rows[left], b_columns[right], values_of(a)[left] * values_of(b)[right]


def addmm(base: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Compute beta * base + alpha * (a @ b), where at least one tensor is sparse."""
    if not any(isinstance(each, SparseBase) for each in (base, a, b)):
        return torch.addmm(base, a, b, beta=beta, alpha=alpha)
    if isinstance(base, SparseBase) and not (
        isinstance(a, CompressedTensor) and isinstance(b, CompressedTensor)
    ):
        raise not_implemented(base, a, b)
    product = mm(a, b)
    product = product if alpha == 1 else product * alpha
    if isinstance(base, SparseBase):
        product = to_sparse(product, layout=base.layout)
    elif isinstance(product, SparseBase):
        product = product.to_dense()
    return product if beta == 0 else product + (base if beta == 1 else base * beta)


def addmm_in_place(base: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Write beta * base + alpha * (a @ b) to a dense base."""
    return base.copy_(addmm(base, a, b, beta=beta, alpha=alpha))


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Compute input @ weight.t() + bias, where input or weight is sparse."""
    product = mm(input, weight.transpose(0, 1))
    return product if bias is None else product + bias


# ---- products of the elements that a sparse matrix has ---------------------------------------------


def reduced_mm(a: Any, b: Any, reduce: str) -> Tensor:
    """Compute sums, means, greatest or least of the products of each row's elements."""
    if reduce not in ("sum", "mean", "amax", "amin"):
        raise RuntimeError(f"sparse_mm_reduce: reduce type of {reduce} has not been enabled.")
    if not any(isinstance(each, CompressedTensor) for each in (a, b)):
        raise could_not_run("aten::_sparse_mm_reduce_impl", [a, b])
    if a.layout is not torch.sparse_csr:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {layout_name(a)}")
    if isinstance(b, SparseBase):
        raise RuntimeError(
            "Expected tensor to have Strided Layout, but got tensor with "
            f"{layout_name(b)} Layout (while checking arguments for sparse_mm_reduce)"
        )
    _check_shapes(a, b)
    if reduce == "sum":
        return mm(a, b)  # type: ignore[no-any-return]
    if reduce == "mean":
        return mm(a, b) / a._parts[0].diff().clamp(min=1).unsqueeze(1)  # type: ignore[no-any-return]
    _, rows, columns = coordinates(a)
    products = values_of(a).unsqueeze(1) * b.index_select(0, columns)
    return products.new_zeros((a.size(0), b.size(1))).index_reduce(
        0, rows, products, reduce, include_self=False
    )


def sampled_addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """Compute the product of dense matrices at the indices of a csr one, and add that."""
    _check_sampled(input, mat1, mat2)
    if input.dim() == 2 and mat1.dim() > 2:
        input = _repeated(input, mat1.shape[:-2])
    matrix, row, column = coordinates(input)
    left, right = mat1.flatten(0, -2), mat2.mT.flatten(0, -2)
    if mat1.dim() > 2:
        row, column = matrix * mat1.size(-2) + row, matrix * mat2.size(-1) + column
    tracks = torch.is_grad_enabled() and (mat1.requires_grad or mat2.requires_grad)
    values = (_RowDots.apply if tracks else _row_dots)(left, right, row, column)
    values = values if alpha == 1 else alpha * values
    if beta != 0:
        values = torch.add(values, flat_values(input), alpha=beta)
    return tracked(input, values.reshape(input._raw_values.shape))


def _repeated(a: Any, batch: Any) -> Any:
    """Return a matrix for each place of batch dimensions."""
    parts = (*a._parts[:2], values_of(a))
    expanded = [each.expand(*batch, *each.shape) for each in parts]
    return make(a._kind, *expanded, (*batch, *a.shape))


class _RowDots(Function):
    """The dot products of pairs of rows of two matrices, with derivatives of any order."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        ctx.save_for_backward(left, right, rows, columns)
        return _row_dots(left, right, rows, columns)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        left, right, rows, columns = ctx.saved_tensors
        of_left = of_right = None
        if ctx.needs_input_grad[0]:
            of_left = _add_scaled_rows(left, rows, grad, right, columns)
        if ctx.needs_input_grad[1]:
            of_right = _add_scaled_rows(right, columns, grad, left, rows)
        return of_left, of_right, None, None


def _row_dots(left: Tensor, right: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return left[rows[i]] . right[columns[i]] for each i: what weighted bags' weights get."""
    dots = torch.ops.aten._embedding_bag_per_sample_weights_backward
    return dots(left, right, columns, columns, rows, 0)  # type: ignore[no-any-return]


def _add_scaled_rows(
    like: Tensor, places: Tensor, factors: Tensor, source: Tensor, picked: Tensor
) -> Tensor:
    """Return zeros like a matrix, plus factors[i] * source[picked[i]] at row places[i]."""
    scaled = factors.unsqueeze(1) * source.index_select(0, picked)
    return torch.zeros_like(like).index_add(0, places, scaled)


def _check_sampled(input: Any, mat1: Any, mat2: Any) -> None:
    name = "sampled_addmm:"
    if not any(isinstance(each, CompressedTensor) for each in (input, mat1, mat2)):
        raise could_not_run("aten::sparse_sampled_addmm", [input, mat1, mat2])
    for which, each in (("mat1", mat1), ("mat2", mat2)):
        if isinstance(each, SparseBase):
            raise RuntimeError(
                f"{name} Expected {which} to have strided layout, but got {layout_name(each)}"
            )
    if input.layout is not torch.sparse_csr:
        raise RuntimeError(
            f"{name} Expected result to have sparse csr layout, but got {layout_name(input)}"
        )
    for which, each in (("mat1", mat1), ("mat2", mat2)):
        if each.dim() < 2:
            raise RuntimeError(f"{name} Expected {which} to be a matrix, got {each.dim()}-D tensor")
    if mat1.dtype != mat2.dtype:
        raise RuntimeError(
            f"{name} Expected mat1 and mat2 to have the same dtype, but got "
            f"{scalar_name(mat1.dtype)} and {scalar_name(mat2.dtype)}"
        )
    for one, other, batches in (
        ("mat1", "mat2", (mat1.shape[:-2], mat2.shape[:-2])),
        ("self", "mat1", (input._batch or mat1.shape[:-2], mat1.shape[:-2])),
    ):
        if batches[0] != batches[1]:
            raise RuntimeError(
                f"{name} Expected {one} and {other} to have the same batch size, but got "
                f"{list(batches[0])} and {list(batches[1])}"
            )
    if mat1.size(-1) != mat2.size(-2):
        raise RuntimeError(
            f"{name} mat1 and mat2 shapes cannot be multiplied "
            f"({mat1.size(-2)}x{mat1.size(-1)} and {mat2.size(-2)}x{mat2.size(-1)})"
        )
    if input.size(-2) != mat1.size(-2):
        raise RuntimeError(f"{name} self.shape[-2] must match mat1.shape[-2]")
    if input.size(-1) != mat2.size(-1):
        raise RuntimeError(f"{name} self.shape[-1] must match mat2.shape[-1]")
