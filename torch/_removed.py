"""Functions of linear algebra that left torch in version 1.13: each names what replaces it."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(advice: str) -> NoReturn:
    raise RuntimeError(
        f"This function was deprecated since version 1.9 and is now removed. {advice}"
    )


def eig(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error that names torch.linalg.eig and torch.linalg.eigvals.

    Raises:
        RuntimeError: Always.

    Example:
        >>> torch.linalg.eigvals(torch.eye(2))
        tensor([1.+0.j, 1.+0.j])
    """
    _refuse(
        "Use torch.linalg.eig(A), or torch.linalg.eigvals(A) for the eigenvalues alone; their "
        "results are complex."
    )


def lstsq(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error that names torch.linalg.lstsq.

    Raises:
        RuntimeError: Always.

    Example:
        >>> torch.linalg.lstsq(torch.eye(2), torch.ones(2, 1)).solution.flatten()
        tensor([1., 1.])
    """
    _refuse(
        "Use torch.linalg.lstsq(A, B).solution: the arguments have changed places, and the "
        "residuals are a field of their own. torch.linalg.qr returns the QR decomposition."
    )


def matrix_rank(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error that names torch.linalg.matrix_rank.

    Raises:
        RuntimeError: Always.

    Example:
        >>> torch.linalg.matrix_rank(torch.eye(2))
        tensor(2)
    """
    _refuse("Use torch.linalg.matrix_rank(A), whose `hermitian` was `symmetric` here.")


def solve(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error that names torch.linalg.solve.

    Raises:
        RuntimeError: Always.

    Example:
        >>> torch.linalg.solve(2 * torch.eye(2), torch.ones(2))
        tensor([0.5000, 0.5000])
    """
    _refuse(
        "Use torch.linalg.solve(A, B): the arguments have changed places, and the result is the "
        "solution alone. torch.linalg.lu_factor returns the LU factorization."
    )


def symeig(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error that names torch.linalg.eigh and torch.linalg.eigvalsh.

    Raises:
        RuntimeError: Always.

    Example:
        >>> torch.linalg.eigvalsh(torch.eye(2))
        tensor([1., 1.])
    """
    _refuse(
        "Use torch.linalg.eigh(A, UPLO='U' if upper else 'L'), or torch.linalg.eigvalsh for the "
        "eigenvalues alone; by default they read the lower triangle."
    )
