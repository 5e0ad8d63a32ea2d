"""complex32, which stores numbers and has no arithmetic of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import torch


def zeros() -> torch.Tensor:
    return torch.zeros(3, dtype=torch.complex32)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: torch.ones(2, dtype=torch.complex32), [1, 1]),
        (lambda: torch.full((2,), 1 + 2j, dtype=torch.complex32), [1 + 2j] * 2),
        (lambda: torch.full((1,), 1e6, dtype=torch.complex32), [float("inf")]),
        (lambda: torch.ones_like(zeros()), [1, 1, 1]),
        (lambda: zeros().new_full((1,), 3j), [3j]),
        (lambda: zeros().fill_(2 - 1j), [2 - 1j] * 3),
        (lambda: zeros().masked_fill(torch.tensor([True, False, True]), 1j), [1j, 0, 1j]),
        (lambda: zeros().masked_fill(torch.tensor(True), torch.tensor(1j)), [1j] * 3),
        (lambda: zeros().index_fill(0, torch.tensor([1]), 1j), [0, 1j, 0]),
    ],
)
def test_filled(make: Callable[[], torch.Tensor], expected: list[complex]) -> None:
    result = make()
    assert result.dtype is torch.complex32
    assert result.tolist() == expected


def test_identities_are_refused_as_by_pytorch() -> None:
    with pytest.raises(NotImplementedError, match="\"eye\" not implemented for 'ComplexHalf'"):
        torch.eye(2, dtype=torch.complex32)
