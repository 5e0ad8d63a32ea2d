"""The functions of torch.linalg that are composed of others, except norms and least squares."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

import torch
from torch._C import _linalg, _LinAlgError
from torch._composites import _is_transformed
from torch._outputs import into
from torch.linalg._checks import all_true, check_matrix, check_square

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = [
    "LinAlgError",
    "diagonal",
    "matmul",
    "matrix_power",
    "matrix_rank",
    "pinv",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
]

LinAlgError = _LinAlgError


def _cutoff(largest: Tensor, A: Tensor, atol: Any, rtol: Any) -> Tensor:
    """Return the greatest number that counts as zero, one for each matrix."""
    if rtol is None:
        given = atol is not None and all_true(torch.as_tensor(atol).gt(0))
        rtol = 0.0 if given else torch.finfo(A.dtype).eps * max(A.shape[-2:])
    absolute = torch.as_tensor(0.0 if atol is None else atol, device=A.device)
    return torch.maximum(absolute.to(largest.dtype), rtol * largest)


def _spectrum(A: Tensor, hermitian: bool) -> Tensor:
    return _linalg.linalg_eigvalsh(A).abs() if hermitian else _linalg.linalg_svdvals(A)


def matrix_rank(
    input: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Count the singular values that are not zero.

    Args:
        input: A tensor of shape (..., m, n).
        tol: Another name of `atol`.
        hermitian: Whether the matrices are Hermitian, so that eigenvalues are computed.
        atol: The absolute tolerance.
        rtol: The tolerance relative to the largest value; max(m, n) times the dtype's epsilon by
            default, or 0 if `atol` is given.
        out: A tensor to write the result to.

    Example:
        >>> torch.linalg.matrix_rank(torch.ones(3, 3))
        tensor(1)
    """
    check_matrix(input, "torch.linalg.matrix_rank", "input")
    values = _spectrum(input, hermitian)
    if values.shape[-1] == 0:
        return into(
            torch.zeros(input.shape[:-2], dtype=torch.int64, device=input.device),
            out,
            "linalg.matrix_rank",
        )
    limit = _cutoff(values.amax(-1), input, tol if atol is None else atol, rtol)
    if tol is not None:
        limit = torch.as_tensor(tol, dtype=values.dtype, device=input.device)
    return into((values > limit.unsqueeze(-1)).sum(-1), out, "linalg.matrix_rank")


def pinv(
    input: Tensor,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute pseudo-inverses (Moore and Penrose).

    Args:
        input: A tensor of shape (..., m, n).
        rcond: Another name of `rtol`.
        hermitian: Whether the matrices are Hermitian, so that eigenvalues are computed.
        atol: The absolute tolerance below which singular values count as zero.
        rtol: The relative one; max(m, n) times the dtype's epsilon by default, or 0 if `atol` is
            given.
        out: A tensor to write the result to.

    Example:
        >>> torch.linalg.pinv(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.0000]])
    """
    tolerances = (atol, rcond if rtol is None else rtol)
    if (torch.is_grad_enabled() and input.requires_grad) or _is_transformed():
        return into(_differentiable_pinv().apply(input, hermitian, *tolerances), out, "linalg.pinv")
    return into(_pinv(input, hermitian, *tolerances), out, "linalg.pinv")


def _pinv(input: Tensor, hermitian: bool, atol: Any, rtol: Any) -> Tensor:
    if input.numel() == 0:
        return input.new_zeros((*input.shape[:-2], input.shape[-1], input.shape[-2]))
    if hermitian:
        values, vectors = _linalg.linalg_eigh(input)
        left, right = vectors, vectors.mH
    else:
        left, values, right = _linalg.linalg_svd(input, full_matrices=False)
    sizes = values.abs()
    limit = _cutoff(sizes.amax(-1), input, atol, rtol)
    kept = sizes > limit.unsqueeze(-1)
    inverse = torch.where(kept, values, 1).reciprocal() * kept
    return (right.mH * inverse.unsqueeze(-2)) @ left.mH


@functools.cache
def _differentiable_pinv() -> Any:
    """Return the pseudo-inverse with derivatives that need no distinct singular values.

    The rank counts as constant. Source: Golub and Pereyra, "The differentiation of pseudo-inverses
    and nonlinear least squares problems whose variables separate" (1973).
    """

    class PseudoInverse(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(input: Tensor, hermitian: bool, atol: Any, rtol: Any) -> Tensor:
            return _pinv(input, hermitian, atol, rtol)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
            ctx.save_for_backward(inputs[0], output)
            ctx.save_for_forward(inputs[0])
            ctx.options = inputs[1:]

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:
            given, inverse = ctx.saved_tensors
            back, turned = inverse.mH, grad.mH
            result = -(back @ grad @ back)
            result = result + (turned - given @ (inverse @ turned)) @ inverse @ back
            rest = back @ inverse @ (turned - turned @ inverse @ given)
            return result + rest, None, None, None

        @staticmethod
        def jvp(ctx: Any, tangent: Tensor, *options: Any) -> Tensor:
            given = ctx.saved_tensors[0]
            inverse = _differentiable_pinv().apply(given, *ctx.options)
            back, turned = inverse.mH, tangent.mH
            result = -(inverse @ tangent @ inverse)
            result = result + (turned - inverse @ (given @ turned)) @ back @ inverse
            rest = inverse @ back @ (turned - turned @ given @ inverse)
            return cast("Tensor", result + rest)

    return PseudoInverse


def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Raise square matrices to an integer power.

    Args:
        input: A tensor of shape (..., n, n).
        n: The power; a negative one inverts the matrices.
        out: A tensor to write the result to.

    Raises:
        RuntimeError: If the matrices are not square.

    Example:
        >>> torch.linalg.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
        tensor([[1., 3.],
                [0., 1.]])
    """
    check_square(input, "linalg.matrix_power")
    if n == 0:
        unit = torch.eye(input.shape[-1], dtype=input.dtype, device=input.device)
        return into(torch.fill(input, 0) + unit, out, "linalg.matrix_power")
    base = _linalg.linalg_inv(input) if n < 0 else input
    result, n = None, abs(n)
    while n:
        if n % 2:
            result = base if result is None else result @ base
        n //= 2
        base = base @ base if n else base
    return into(result.clone() if result is input else result, out, "linalg.matrix_power")


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Compute the inner products of vectors; the first ones are conjugated.

    Args:
        x: The first vectors.
        y: The second vectors.
        dim: The dimension that holds them.
        out: A tensor to write the result to.

    Example:
        >>> torch.linalg.vecdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor(11.)
    """
    return into((x.conj() * y).sum(dim), out, "linalg.vecdot")


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Compute the powers 0 to N - 1 of each element.

    Args:
        x: A tensor of shape (..., n).
        N: The number of powers, at least 2; n by default. A number x counts as a row of one.

    Raises:
        RuntimeError: If N is less than 2.

    Example:
        >>> torch.linalg.vander(torch.tensor([2.0, 3.0]), N=3)
        tensor([[1., 2., 4.],
                [1., 3., 9.]])
    """
    x = torch.atleast_1d(x)
    count = x.shape[-1] if N is None else N
    if count < 2:
        raise RuntimeError("N must be greater than 1.")
    return x.unsqueeze(-1) ** torch.arange(count, device=x.device)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """View a diagonal of matrices.

    Args:
        A: A tensor of shape (..., m, n).
        offset: The diagonal; 0 is the main one.
        dim1: The first dimension of the matrices.
        dim2: The second one.

    Example:
        >>> torch.linalg.diagonal(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    return torch.diagonal(A, offset, dim1, dim2)


def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices: another name of :func:`torch.matmul`.

    Args:
        input: The first matrices.
        other: The second matrices.
        out: A tensor to write the result to.

    Example:
        >>> torch.linalg.matmul(torch.ones(1, 2), torch.ones(2, 1))
        tensor([[2.]])
    """
    return torch.matmul(input, other, out=out)


def tensorinv(input: Tensor, ind: int = 2) -> Tensor:
    """Invert a tensor as a map between the tensors of its first and its other dimensions.

    Args:
        input: A tensor whose first `ind` sizes have the same product as the others.
        ind: The number of dimensions of the result's last part.

    Raises:
        RuntimeError: If the products differ.

    Example:
        >>> torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4)).shape
        torch.Size([4, 2, 2])
    """
    shape = input.shape[ind:] + input.shape[:ind]
    side = input.shape[:ind].numel()
    if side != input.shape[ind:].numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            "prod(self.shape[:ind])"
        )
    return _linalg.linalg_inv(input.reshape(side, side)).reshape(shape)


def tensorsolve(input: Tensor, other: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """Solve tensordot(input, X, X.dim()) = other.

    Args:
        input: A tensor whose last dimensions are those of the result.
        other: The right-hand side.
        dims: Dimensions of `input` to move to its end first.

    Example:
        >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2)).shape
        torch.Size([4])
    """
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(-len(dims), 0)))
    side = other.numel()
    solution = _linalg.linalg_solve(input.reshape(side, side), other.reshape(side))
    return solution.reshape(input.shape[other.dim() :])
