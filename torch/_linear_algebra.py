"""The functions of linear algebra under their old names in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import linalg, return_types
from torch._outputs import into, kind_of
from torch._torch_function import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
)
from torch.linalg._checks import check_square

if TYPE_CHECKING:
    from torch import Tensor


def det(input: Tensor) -> Tensor:
    """Compute determinants; see :func:`torch.linalg.det`.

    Example:
        >>> torch.det(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor(8.)
    """
    return linalg.det(input)


def slogdet(input: Tensor) -> Any:
    """Compute signs and logarithms of determinants; see :func:`torch.linalg.slogdet`.

    Example:
        >>> torch.slogdet(torch.eye(2)).logabsdet
        tensor(0.)
    """
    return linalg.slogdet(input)


def logdet(input: Tensor) -> Tensor:
    """Compute the logarithms of determinants, which are NaN for negative ones.

    Example:
        >>> torch.logdet(torch.eye(2))
        tensor(0.)
    """
    sign, logarithm = linalg.slogdet(input)
    if input.is_complex():
        return sign.log() + logarithm
    return torch.where(sign == -1, float("nan"), logarithm)


def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Invert matrices; see :func:`torch.linalg.inv`.

    Example:
        >>> torch.inverse(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    result = linalg.inv(input)
    return into(result, out, "inverse")  # type: ignore[no-any-return]


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Compute pseudo-inverses; see :func:`torch.linalg.pinv`.

    Example:
        >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
        tensor([[0.5000, 0.0000]])
    """
    return linalg.pinv(input, rtol=rcond)


def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Raise square matrices to an integer power; see :func:`torch.linalg.matrix_power`.

    Example:
        >>> torch.matrix_power(torch.tensor([[2.0]]), 3)
        tensor([[8.]])
    """
    return linalg.matrix_power(input, n, out=out)


def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Factor positive-definite matrices; see :func:`torch.linalg.cholesky`.

    Example:
        >>> torch.cholesky(torch.tensor([[4.0]]))
        tensor([[2.]])
    """
    return into(linalg.cholesky(input, upper=upper), out, "cholesky")  # type: ignore[no-any-return]


def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """Solve linear equations with matrices that `cholesky` has factored.

    Args:
        input: The right-hand sides, of shape (..., n, k).
        input2: The factors.
        upper: Whether they are upper instead of lower triangular.

    Example:
        >>> torch.cholesky_solve(torch.tensor([[8.0]]), torch.tensor([[2.0]]))
        tensor([[2.]])
    """
    for name, matrices in (("b", input), ("u", input2)):
        if matrices.dim() < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {matrices.dim()} dimensions instead"
            )
    rows, columns = input2.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if input.shape[-2] != rows:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {rows} by {rows} but "
            f"each b matrix is {input.shape[-2]} by {input.shape[-1]}"
        )
    if input.dtype != input2.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {kind_of(input)} and A of "
            f"type {kind_of(input2)} instead."
        )
    return torch._cholesky_solve_helper(input, input2, upper)


def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """Invert matrices that `cholesky` has factored.

    Args:
        input: The factors, of shape (..., n, n).
        upper: Whether they are upper instead of lower triangular.

    Example:
        >>> torch.cholesky_inverse(torch.tensor([[2.0]]))
        tensor([[0.2500]])
    """
    check_square(input, "cholesky_inverse")
    return torch._cholesky_inverse_helper(input, upper)


def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """Solve linear equations with triangular matrices; see :func:`torch.linalg.solve_triangular`.

    Returns:
        The solution, and a copy of A for each of its matrices, stored by columns.

    Example:
        >>> torch.triangular_solve(torch.tensor([[4.0]]), torch.tensor([[2.0]]))[0]
        tensor([[2.]])
    """
    matrix, above = (A.mT, not upper) if transpose else (A, upper)
    solution = linalg.solve_triangular(matrix, input, upper=above, unitriangular=unitriangular)
    copies = A.expand(*solution.shape[:-2], *A.shape[-2:]).mT
    return return_types.triangular_solve(
        (solution, copies.clone(memory_format=torch.contiguous_format).mT)
    )


def qr(input: Tensor, some: bool = True) -> Any:
    """Factor matrices into one with orthonormal columns and a triangle; see `torch.linalg.qr`.

    Example:
        >>> torch.qr(torch.ones(3, 2)).Q.shape
        torch.Size([3, 2])
    """
    return return_types.qr(linalg.qr(input, "reduced" if some else "complete"))


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Compute singular values and vectors; :func:`torch.linalg.svd` returns V transposed.

    Example:
        >>> U, S, V = torch.svd(torch.eye(2))
        >>> S
        tensor([1., 1.])
    """
    if not compute_uv:
        rows, cols = input.shape[-2:]
        left = input.new_zeros((*input.shape[:-2], rows, rows))
        right = input.new_zeros((*input.shape[:-2], cols, cols))
        return return_types.svd((left, linalg.svdvals(input), right))
    left, values, right = linalg.svd(input, full_matrices=not some)
    return return_types.svd((left, values, right.mH))


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """Factor matrices into triangles; see :func:`torch.linalg.lu_factor`.

    Example:
        >>> torch.lu(torch.eye(2))[1]
        tensor([1, 2], dtype=torch.int32)
    """
    if has_torch_function_unary(A):
        return handle_torch_function(lu, (A,), A, pivot=pivot, get_infos=get_infos)
    factors, pivots, info = linalg.lu_factor_ex(A, pivot=pivot)
    return (factors, pivots, info) if get_infos else (factors, pivots)


def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Solve linear equations with factored matrices; see :func:`torch.linalg.lu_solve`.

    Example:
        >>> torch.lu_solve(torch.tensor([[4.0]]), *torch.linalg.lu_factor(torch.tensor([[2.0]])))
        tensor([[2.]])
    """
    return linalg.lu_solve(LU_data, LU_pivots, input)


def trace(input: Tensor) -> Tensor:
    """Sum the elements on the main diagonal of a matrix.

    Raises:
        RuntimeError: If the tensor is no matrix.

    Example:
        >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """
    if input.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.dim()}")
    return input.diagonal().sum()


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """Multiply each element of one vector by each of another: `torch.outer`.

    Example:
        >>> torch.ger(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[3, 4],
                [6, 8]])
    """
    return torch.outer(input, vec2)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sum the products of the last dimensions of two tensors.

    Example:
        >>> torch.inner(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor(11)
    """
    if input.dim() == 0 or other.dim() == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return torch.tensordot(input, other, dims=([-1], [-1]))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Compute the Kronecker product: each element of the first tensor times the second tensor.

    Example:
        >>> torch.kron(torch.tensor([[1, 2]]), torch.tensor([[1, 1]]))
        tensor([[1, 1, 2, 2]])
    """
    rank = max(input.dim(), other.dim())
    first = input.reshape((1,) * (rank - input.dim()) + tuple(input.shape))
    second = other.reshape((1,) * (rank - other.dim()) + tuple(other.shape))
    spread = [size for pair in zip(first.shape, (1,) * rank, strict=True) for size in pair]
    repeated = [size for pair in zip((1,) * rank, second.shape, strict=True) for size in pair]
    product = first.reshape(spread) * second.reshape(repeated)
    return product.reshape([a * b for a, b in zip(first.shape, second.shape, strict=True)])


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply matrices in the cheapest order; see :func:`torch.linalg.multi_dot`.

    Args:
        matrices: The matrices.
        out: A tensor to write the result to.

    Example:
        >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 1))
        tensor([[3.],
                [3.]])
    """
    if has_torch_function(matrices):
        given_out = {} if out is None else {"out": out}
        return handle_torch_function(chain_matmul, matrices, *matrices, **given_out)
    given = (
        matrices[0] if len(matrices) == 1 and isinstance(matrices[0], list | tuple) else matrices
    )
    if not given:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    if len(given) == 1:
        return into(given[0], out, "chain_matmul")  # type: ignore[no-any-return]
    return linalg.multi_dot(given, out=out)
