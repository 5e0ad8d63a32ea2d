"""Signs of determinants follow the exchanges of rows that the factorization made."""

from __future__ import annotations

import itertools

import pytest

import torch


def parity(order: tuple[int, ...]) -> int:
    return (-1) ** sum(a > b for a, b in itertools.combinations(order, 2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_permutation_has_its_sign(order: tuple[int, ...], dtype: torch.dtype) -> None:
    matrix = torch.eye(4, dtype=dtype)[list(order)]
    sign, logarithm = torch.linalg.slogdet(matrix)
    assert torch.linalg.det(matrix).item() == parity(order)
    assert (sign.item(), logarithm.item()) == (parity(order), 0)
    if not dtype.is_complex:
        assert torch.logdet(matrix).isnan().item() == (parity(order) < 0)


def test_determinants_of_a_batch_equal_the_products_of_eigenvalues() -> None:
    torch.manual_seed(0)
    matrices = torch.randn(20, 7, 7, dtype=torch.float64)
    expected = torch.linalg.eigvals(matrices).prod(-1).real
    sign, logarithm = torch.linalg.slogdet(matrices)
    torch.testing.assert_close(torch.linalg.det(matrices), expected)
    torch.testing.assert_close(sign * logarithm.exp(), expected)
    assert {-1.0, 1.0} == set(sign.tolist())
