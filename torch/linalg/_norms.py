"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _linalg
from torch._composites import wrapped_axis
from torch._outputs import into, kind_of
from torch.linalg._checks import check_square

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
    _check_order(ord)
    if input.dim() < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    if len(dim) != 2:
        raise RuntimeError(
            "linalg.matrix_norm: dim must be a 2-tuple. Got " + " ".join(map(str, dim))
        )
    rows, cols = (wrapped_axis(each, input.dim()) for each in dim)
    if rows == cols:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({rows}, {cols})")
    if dtype is not None:
        _check_conversion(input, dtype)
        input = input.to(dtype)
    elif not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(
            "linalg.matrix_norm: Expected a floating point or complex tensor as input. "
            f"Got {kind_of(input)}"
        )
    return into(_matrix_norm(input, ord, rows, cols, keepdim), out, "linalg.matrix_norm")


def _matrix_norm(input: Tensor, ord: float | str, rows: int, cols: int, keepdim: bool) -> Tensor:
    if ord == "fro":
        return _linalg.linalg_vector_norm(input, 2, (rows, cols), keepdim)
    if ord == "nuc" or abs(ord) == 2:  # type: ignore[arg-type]
        values = _linalg.linalg_svdvals(input.movedim((rows, cols), (-2, -1)))
        result = values.sum(-1) if ord == "nuc" else _extremum(values, ord, -1, False)
        if keepdim:
            low, high = sorted((rows, cols))
            result = result.unsqueeze(low).unsqueeze(high)
        return result
    summed, other = (rows, cols) if abs(ord) == 1 else (cols, rows)  # type: ignore[arg-type]
    if not keepdim and summed < other:
        other -= 1
    return _extremum(input.abs().sum(summed, keepdim=keepdim), ord, other, keepdim)


def _extremum(values: Tensor, ord: Any, dim: int, keepdim: bool) -> Tensor:
    """Return the largest of norms that are not negative, or the smallest for a negative order."""
    if ord < 0:
        return values.amin(dim, keepdim)
    return values.amax(dim, keepdim) if values.shape[dim] else values.sum(dim, keepdim=keepdim)


def _check_order(ord: Any) -> None:
    if isinstance(ord, complex):
        raise RuntimeError(
            "linalg.matrix_norm: Expected a non-complex scalar as the order of norm."
        )
    if ord not in ("fro", "nuc") if isinstance(ord, str) else abs(ord) not in (1, 2, inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")


def _check_conversion(input: Tensor, dtype: torch.dtype) -> None:
    """Check the argument `dtype` as `vector_norm` does."""
    name = kind_of(torch.empty(0, dtype=dtype))
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            f"linalg.matrix_norm: dtype should be floating point or complex, but got {name}"
        )
    if input.is_complex() != dtype.is_complex:
        kind = "complex" if input.is_complex() else "real"
        raise RuntimeError(
            f"linalg.matrix_norm: dtype should be {kind} for {kind} inputs, but got {name}"
        )
    if torch.promote_types(input.dtype, dtype) != dtype:
        raise RuntimeError(
            f"linalg.matrix_norm: the dtype of the input ({kind_of(input)}) should be convertible "
            f"without narrowing to the specified dtype ({name})"
        )


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
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}"
        )
    if ord is not None and dims is None and input.dim() not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {input.dim()}D."
        )
    matrix = len(dims) == 2 if dims is not None else input.dim() == 2
    if ord is not None and (matrix or isinstance(ord, str)):
        result = matrix_norm(
            input, ord, dims if dims is not None else [-2, -1], keepdim, dtype=dtype
        )
    else:
        order = 2.0 if ord is None else ord
        result = _linalg.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype)
    return into(result, out, "linalg.norm")


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
    if isinstance(p, str):
        check_square(input, f"linalg.cond(ord={p})")
    elif input.dim() < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    _check_condition(p)
    if input.numel() == 0 and not isinstance(p, str):
        zeros = input.new_zeros(input.shape[:-2], dtype=input.real.dtype)
        return into(zeros, out, "linalg.cond")
    if p in (None, 2, -2):
        values = _linalg.linalg_svdvals(input)
        large, small = values[..., 0], values[..., -1]
        return into(small / large if p == -2 else large / small, out, "linalg.cond")
    check_square(input, f"linalg.cond(ord={p})")
    if p == "nuc":
        values = _linalg.linalg_svdvals(input)
        result = values.sum(-1) * values.reciprocal().sum(-1)
    else:
        inverse, info = _linalg.linalg_inv_ex(input)
        result = matrix_norm(input, p) * matrix_norm(inverse, p)  # type: ignore[arg-type]
        result = torch.where(info == 0, result, inf)
    return into(result, out, "linalg.cond")


def _check_condition(p: Any) -> None:
    if isinstance(p, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    known = p in ("fro", "nuc") if isinstance(p, str) else p is None or abs(p) in (1, 2, inf)
    if not known:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
