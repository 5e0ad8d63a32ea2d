"""The functions of torch.linalg that are composed of others, except norms."""

from __future__ import annotations

import functools
from math import inf
from typing import TYPE_CHECKING, Any, cast

import torch
from torch._C import _linalg, _LinAlgError
from torch._composites import _has_tangents, _is_transformed
from torch.linalg._checks import check_matrix, check_square

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = [
    "LinAlgError",
    "diagonal",
    "lstsq",
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
_HALF_PRECISION = (torch.float16, torch.bfloat16)
_FULL_PRECISION = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def written(result: Tensor, out: Tensor | None) -> Tensor:
    """Return the result, or `out` resized and filled with it."""
    return result if out is None else out.resize_(result.shape).copy_(result)


def _cutoff(largest: Tensor, A: Tensor, atol: Any, rtol: Any) -> Tensor:
    """Return the greatest number that counts as zero, one for each matrix."""
    if rtol is None:
        given = atol is not None and _all_true(torch.as_tensor(atol).gt(0))
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
        return written(torch.zeros(input.shape[:-2], dtype=torch.int64, device=input.device), out)
    limit = _cutoff(values.amax(-1), input, tol if atol is None else atol, rtol)
    if tol is not None:
        limit = torch.as_tensor(tol, dtype=values.dtype, device=input.device)
    return written((values > limit.unsqueeze(-1)).sum(-1), out)


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
        return written(_differentiable_pinv().apply(input, hermitian, *tolerances), out)
    return written(_pinv(input, hermitian, *tolerances), out)


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


def _is_well_conditioned(R: Tensor, limit: float) -> bool:
    """Return whether the condition of the upper triangles of R is surely below the limit.

    Two steps of inverse iteration from four vectors estimate the smallest singular value, to much
    better than the factor of 32 that is left as a margin; the Frobenius norm bounds the largest.
    """
    size = R.shape[-1]
    start = torch.arange(1, 4 * size + 1, dtype=torch.float64).sin().to(R.dtype)
    vectors = start.reshape(size, 4).expand(*R.shape[:-2], size, 4)
    norm = R.triu().norm(dim=(-2, -1), keepdim=True)  # as a factor in every step, against overflow
    for _ in range(2):
        half = _linalg.linalg_solve_triangular(R.mH, vectors, upper=False) * norm
        vectors = _linalg.linalg_solve_triangular(R, half, upper=True) * norm
    growth = (vectors.norm(dim=(-2, -1)) / start.norm()) ** 0.25
    return _all_true(growth < limit / 32)


def _all_true(conditions: Tensor) -> bool:
    """Return whether all conditions hold, of all elements of a vmap together."""
    if type(conditions) is not torch.Tensor:
        conditions = torch.func.debug_unwrap(conditions)
    return bool(conditions.all())


def _lstsq_by_qr(A: Tensor, right: Tensor, limit: float) -> tuple[Tensor, Tensor] | None:
    """Solve for matrices whose rank is surely full; also return the squared residuals."""
    rows, cols = A.shape[-2:]
    least = min(rows, cols)
    if rows >= cols and A.is_floating_point():
        solution, residuals, full_rank = torch._linalg_lstsq_by_qr_for_cpu(A, right, limit)
        return (solution, residuals) if full_rank else None
    factors, tau = torch.geqrf(A if rows >= cols else A.mH)
    R = factors[..., :least, :]
    if not _is_well_conditioned(R, limit):
        return None
    if rows >= cols:
        turned = torch.ormqr(factors, tau, right, True, True)
        solution = _linalg.linalg_solve_triangular(R, turned[..., :cols, :], upper=True)
        return solution, turned[..., cols:, :].abs().square().sum(-2)
    half = _linalg.linalg_solve_triangular(R.mH, right, upper=False)
    padding = half.new_zeros((*half.shape[:-2], cols - rows, half.shape[-1]))
    return torch.ormqr(factors, tau, torch.cat([half, padding], -2)), half.new_empty(0)


def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> torch.return_types.linalg_lstsq:
    """Solve linear equations in the sense of least squares.

    Args:
        input: A tensor of shape (..., m, n).
        b: The right-hand sides, of shape (..., m, k) or (..., m).
        rcond: The tolerance below which singular values, relative to the largest, count as zero.
        driver: "gels", "gelsy", "gelsd" or "gelss". All are computed from a QR factorization if the
            rank is full, and from singular values if not, or if gradients are needed.

    Returns:
        The solution of least norm, the squared residuals (empty unless m > n and the rank is full),
        the ranks, and the singular values (for "gelsd" and "gelss").

    Raises:
        RuntimeError: If the shapes or the dtypes do not fit, or the driver is unknown.

    Example:
        >>> A = torch.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> torch.linalg.lstsq(A, torch.tensor([[1.0], [3.0], [5.0]])).solution.round()
        tensor([[1.],
                [2.]])
    """
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if input.is_cpu and torch.is_autocast_enabled("cpu"):
        input, b = (x.float() if x.dtype in _HALF_PRECISION else x for x in (input, b))
    if input.dim() < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    rows, cols = input.shape[-2:]
    vector = b.dim() == 1 or (input.dim() - 1 == b.dim() and input.shape[:-1] == b.shape)
    right = b.unsqueeze(-1) if vector else b
    if right.shape[-2] != rows:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    if right.dtype != input.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
            f"dtype {input.dtype} and other's dtype {right.dtype}"
        )
    if rcond is None and input.dtype not in _FULL_PRECISION:
        raise RuntimeError("This function doesn't handle types other than float and double")
    cutoff = torch.finfo(input.dtype).eps * max(rows, cols) if rcond is None else rcond
    wants_values = driver in ("gelsd", "gelss")
    differentiated = torch.is_grad_enabled() and (input.requires_grad or right.requires_grad)
    differentiated = differentiated or _has_tangents()
    direct = None
    if (
        input.is_cpu
        and not differentiated
        and input.numel()
        and right.shape[:-2] == input.shape[:-2]
    ):
        direct = _lstsq_by_qr(input, right, inf if cutoff <= 0 else 1 / cutoff)
    solution = pinv(input, rtol=cutoff) @ right if direct is None else direct[0]
    values = torch.empty(0, dtype=input.dtype.to_real(), device=input.device)
    if direct is None or wants_values:
        with torch.no_grad():
            values = _linalg.linalg_svdvals(input)
    least = min(rows, cols)
    if direct is None:
        rank = (values > cutoff * values[..., :1]).sum(-1)
    else:
        rank = torch.full(input.shape[:-2], least)
    empty = values.new_empty(0)
    residuals = empty
    if rows > cols and (direct is not None or _all_true(rank == cols)):
        rest = input @ solution - right if direct is None else None
        residuals = direct[1] if rest is None else rest.abs().square().sum(-2)
    no_rank = torch.empty(0, dtype=torch.int64, device=input.device)
    return torch.return_types.linalg_lstsq(
        (
            solution.squeeze(-1) if vector else solution,
            residuals,
            no_rank if driver == "gels" else rank,
            values if wants_values else empty,
        )
    )


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
        return written(torch.fill(input, 0) + unit, out)
    base = _linalg.linalg_inv(input) if n < 0 else input
    result, n = None, abs(n)
    while n:
        if n % 2:
            result = base if result is None else result @ base
        n //= 2
        base = base @ base if n else base
    return written(result.clone() if result is input else result, out)


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
    return written((x.conj() * y).sum(dim), out)


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
    return written(torch.matmul(input, other), out)


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
