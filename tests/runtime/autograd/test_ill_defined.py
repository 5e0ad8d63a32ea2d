"""Gradients of complex factorizations, and of sums of exponentials that are out of range."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import torch

Loss = Callable[[torch.Tensor], torch.Tensor]


def matrix() -> torch.Tensor:
    return torch.randn(3, 3, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))


FACTORS: dict[str, Loss] = {
    "eig": lambda a: torch.linalg.eig(a).eigenvectors,
    "eigh": lambda a: torch.linalg.eigh(a + a.mH).eigenvectors,
    "svd": lambda a: torch.linalg.svd(a).U,
}


@pytest.mark.parametrize("name", FACTORS)
def test_a_loss_that_depends_on_the_phase_of_vectors_has_no_gradient(name: str) -> None:
    a = matrix().requires_grad_()
    with pytest.raises(RuntimeError, match=r"multiplication by e\^\{i phi\}"):
        FACTORS[name](a).real.sum().backward()
    assert torch.autograd.gradcheck(lambda a: FACTORS[name](a).abs().pow(3).sum(), a)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_the_gradient_of_eigenvectors_is_hermitian(dtype: torch.dtype) -> None:
    a = matrix().to(dtype) if dtype.is_complex else matrix().real
    hermitian = (a + a.mH).requires_grad_()
    (grad,) = torch.autograd.grad(torch.linalg.eigh(hermitian)[1].abs().pow(3).sum(), hermitian)
    torch.testing.assert_close(grad, grad.mH)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_large_numbers_do_not_overflow_in_logcumsumexp(dtype: torch.dtype) -> None:
    x = torch.tensor([[1e4, 2e4, 1e4], [0.0, 1.0, -1e4]], dtype=dtype, requires_grad=True)
    result = torch.logcumsumexp(x, 1)
    weights = torch.tensor([[1.0, -2.0, 0.0], [0.0, 3.0, 1.0]], dtype=dtype)
    (grad,) = torch.autograd.grad(result, x, weights)
    share = torch.sigmoid(torch.tensor(1.0, dtype=torch.float64)).item()  # e / (1 + e)
    expected = torch.tensor([[1.0, -2, 0], [4 * (1 - share), 4 * share, 0]], dtype=dtype)
    torch.testing.assert_close(grad, expected)
