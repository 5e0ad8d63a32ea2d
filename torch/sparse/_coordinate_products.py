"""Products that only tensors in coordinate format have."""

from __future__ import annotations

from typing import Any

import torch
from torch.sparse import _tensor as coo
from torch.sparse._base import SparseBase, values_of
from torch.sparse._compressed import CompressedTensor
from torch.sparse._layouts import layout_name
from torch.sparse._products import mm
from torch.sparse._unsupported import could_not_run

Tensor = torch.Tensor


def bmm(a: Any, b: Any) -> Tensor:
    """Multiply the matrices of a batch in coordinate format by those of a dense one."""
    _check_bmm(a, b)
    (count, rows, columns), width = a.shape, b.size(2)
    matrix, row, column = a._pairs[0]
    indices = torch.stack([matrix * rows + row, matrix * columns + column])
    size = (count * rows, count * columns)
    diagonal = coo.make(indices, values_of(a), size, coalesced=a._coalesced)
    return mm(diagonal, b.reshape(count * columns, width)).reshape(count, rows, width)  # type: ignore[no-any-return]


def _check_bmm(a: Any, b: Any) -> None:
    if isinstance(b, SparseBase):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    for kind, expected, got in (("dense", 0, a.dense_dim()), ("sparse", 3, a.sparse_dim())):
        if got != expected:
            raise RuntimeError(
                f"bmm_sparse: Tensor 'self' must have {expected} {kind} dims, but has {got}"
            )
    if b.dim() != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'mat2' must have 3 dims, but has {b.dim()}")
    for mine, other in ((0, 0), (2, 1)):
        if a.size(mine) != b.size(other):
            raise RuntimeError(
                f"bmm_sparse: 'self.size({mine})' and 'mat2.size({other})' must match"
            )


def hspmm(mat1: Any, mat2: Any) -> Any:
    """Multiply a sparse matrix by a dense one; the product is sparse, of the rows that mat1 has.

    Args:
        mat1: A matrix in coordinate format, (n, m).
        mat2: A dense matrix, (m, p).

    Raises:
        RuntimeError: If the shapes do not fit.

    Example:
        >>> torch.hspmm(torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
        tensor([[1., 1.],
                [1., 1.]])
    """
    if not isinstance(mat1, coo.SparseTensor) or isinstance(mat2, SparseBase):
        raise could_not_run("aten::hspmm", [mat1, mat2])
    _check_rows("hspmm", mat1, mat2)
    rows, columns = mat1._pairs[0]
    distinct, place = torch.unique(rows, return_inverse=True)
    products = values_of(mat1).unsqueeze(1) * mat2.index_select(0, columns)
    values = products.new_zeros((distinct.numel(), mat2.size(1))).index_add(0, place, products)
    size = (mat1.size(0), mat2.size(1))
    return coo.make(distinct.unsqueeze(0), values, size, coalesced=False)


def smm(input: Any, mat2: Any) -> Any:
    """Multiply a sparse matrix by a dense one; the product is sparse.

    Args:
        input: A matrix in coordinate format, (n, m).
        mat2: A dense matrix, (m, p).

    Raises:
        RuntimeError: If the layouts or the shapes do not fit.

    Example:
        >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
        tensor([[1., 1.],
                [1., 1.]])
    """
    _check_sspaddmm(input, input, mat2)
    return _with_columns(hspmm(input, mat2))


def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Compute beta * input + alpha * (mat1 @ mat2), which is sparse.

    Args:
        input: A matrix in coordinate format, (n, p).
        mat1: A matrix in coordinate format, (n, m).
        mat2: A dense matrix, (m, p).
        beta: The factor of `input`.
        alpha: The factor of the product.

    Raises:
        RuntimeError: If the layouts or the shapes do not fit.

    Example:
        >>> a = torch.eye(2).to_sparse()
        >>> torch.sspaddmm(a, a, torch.ones(2, 2)).to_dense()
        tensor([[2., 1.],
                [1., 2.]])
    """
    _check_sspaddmm(input, mat1, mat2)
    product = _with_columns(hspmm(mat1, mat2))
    return coo.make(
        torch.cat([input._pairs[0], product._pairs[0]], 1),
        torch.cat([values_of(input) * beta, values_of(product) * alpha]),
        product.shape,
        coalesced=False,
    )


def _with_columns(product: Any) -> Any:
    """Return a tensor of rows as one of elements."""
    (rows,), width = product._pairs[0], product.size(1)
    columns = torch.arange(width, device=rows.device).repeat(rows.numel())
    indices = torch.stack([rows.repeat_interleave(width), columns])
    return coo.make(indices, values_of(product).flatten(), product.shape, coalesced=False)


def _check_sspaddmm(input: Any, mat1: Any, mat2: Any) -> None:
    if any(isinstance(each, CompressedTensor) for each in (input, mat1, mat2)):
        raise could_not_run("aten::sspaddmm", [input, mat1, mat2])
    if not isinstance(mat1, coo.SparseTensor):
        raise RuntimeError(
            "sspaddmm: expected 'mat1' to have sparse layout, got 'mat1' with layout "
            f"{layout_name(mat1)}"
        )
    if not isinstance(input, coo.SparseTensor):
        raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
    if isinstance(mat2, SparseBase):
        raise RuntimeError(
            "sspaddmm: expected 'mat2' to have strided layout, got 'mat2' with layout "
            f"{layout_name(mat2)}"
        )
    _check_rows("sspaddmm", mat1, mat2)


def _check_rows(name: str, mat1: Any, mat2: Any) -> None:
    if mat1.size(1) != mat2.size(0):
        raise RuntimeError(
            f"{name}: Argument #3: Expected dim 0 size {mat1.size(1)}, got {mat2.size(0)}"
        )
