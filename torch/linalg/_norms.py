"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch._C import _linalg
from torch.linalg._checks import check_square
from torch.linalg._composites import written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["cond", "matrix_norm", "norm"]


def matrix_norm(
    input: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute norms of matrices.

    Args:
        input: A tensor whose dimensions `dim` hold the matrices.
        ord: "fro", "nuc", or 1, -1, 2, -2, inf or -inf: the largest or smallest sum of a column,
            singular value, or sum of a row.
        dim: The two dimensions.
        keepdim: Whether the result keeps them with size 1.
        dtype: The dtype to convert the input to before the computation.
        out: A tensor to write the result to.

    Raises:
        RuntimeError: If `ord` is unknown, or the dimensions are equal.

    Example:
        >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5.)
    """
    if input.dim() < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    if len(dim) != 2:
        raise RuntimeError(
            "linalg.matrix_norm: dim must be a 2-tuple. Got " + " ".join(map(str, dim))
        )
    rows, cols = (each % input.dim() for each in dim)
    if rows == cols:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if dtype is not None:
        input = input.to(dtype)
    if ord == "fro":
        result = _linalg.linalg_vector_norm(input, 2, (rows, cols), keepdim)
    elif ord == "nuc" or (not isinstance(ord, str) and abs(ord) == 2):
        values = _linalg.linalg_svdvals(input.movedim((rows, cols), (-2, -1)))
        chosen = "sum" if ord == "nuc" else "amax" if ord > 0 else "amin"
        result = getattr(values, chosen)(-1)
        if keepdim:
            low, high = sorted((rows, cols))
            result = result.unsqueeze(low).unsqueeze(high)
    elif not isinstance(ord, str) and abs(ord) in (1, float("inf")):
        summed, other = (rows, cols) if abs(ord) == 1 else (cols, rows)
        sums = input.abs().sum(summed, keepdim=True)
        result = sums.amax(other, True) if ord > 0 else sums.amin(other, True)
        result = result if keepdim else result.squeeze((rows, cols))
    else:
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    return written(result, out)


def norm(
    input: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Compute a norm of vectors, or of matrices if two dimensions are given.

    Args:
        input: A floating-point or complex tensor.
        ord: The order; see `vector_norm` and `matrix_norm`. None means the 2-norm of all elements.
        dim: One dimension for vectors, two for matrices.
        keepdim: Whether the result keeps them with size 1.
        out: A tensor to write the result to.
        dtype: The dtype to convert the input to before the computation.

    Example:
        >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    dims = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    matrix = ord is not None and (len(dims) == 2 if dims is not None else input.dim() == 2)
    if matrix or isinstance(ord, str):
        found = dims if dims is not None else [-2, -1]
        return matrix_norm(input, ord, found, keepdim, dtype=dtype, out=out)
    if ord is not None and dims is None and input.dim() > 2:
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {input.dim()}D."
        )
    order = 2.0 if ord is None else ord
    return written(_linalg.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype), out)


def cond(input: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Compute the condition numbers of matrices.

    Args:
        input: A tensor of shape (..., m, n), square unless `p` is None, 2 or -2.
        p: The order of the norm; None means 2.
        out: A tensor to write the result to.

    Example:
        >>> torch.linalg.cond(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor(2.)
    """
    if p is None or p in (2, -2):
        values = _linalg.linalg_svdvals(input)
        large, small = values[..., 0], values[..., -1]
        return written(small / large if p == -2 else large / small, out)
    check_square(input, f"linalg.cond(ord={p})")
    inverse, info = _linalg.linalg_inv_ex(input)
    result = matrix_norm(input, p) * matrix_norm(inverse, p)
    return written(torch.where(info == 0, result, float("inf")), out)
