"""Sums of products are rounded once, and ranges are PyTorch's to the last bit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import both
import last_bits_cases
import pytest

import torch

vector_units = pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="this processor has no FMA"
)


def exactly(terms: list[list[float]]) -> float:
    """Return the sum of products, rounded once."""
    total = Fraction(0)
    for factors in terms:
        product = Fraction(1)
        for factor in factors:
            product *= Fraction(factor)
        total += product
    return float(total)


@vector_units
@pytest.mark.parametrize("layout", ["contiguous", "strided", "short"])
def test_a_sum_of_products_is_rounded_once(layout: str) -> None:
    a, b, c = (last_bits_cases.numbers(torch.float64, seed)[:200] for seed in range(3))
    if layout == "strided":
        a, b, c = a[::3], b[::3], c[::3]
    elif layout == "short":
        a, b, c = a[:3], b[:3], c[:3]
    rows = list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))
    assert torch.add(a, b, alpha=0.3).tolist() == [exactly([[x], [y, 0.3]]) for x, y, _ in rows]
    assert torch.addcmul(a, b, c).tolist() == [exactly([[x], [y, z]]) for x, y, z in rows]
    expected = [exactly([[x], [0.3, y - x]]) for x, y, _ in rows]
    assert torch.lerp(a, b, 0.3).tolist() == expected


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(last_bits_cases.__file__), tmp_path_factory.mktemp("peer"))


@vector_units
@pytest.mark.peer
@pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.parametrize("name", last_bits_cases.CASES)
def test_the_bits_are_the_same(name: str, theirs: dict[str, Any]) -> None:
    found = last_bits_cases.bits(last_bits_cases.CASES[name]).numpy()
    assert found.tobytes() == theirs[name].tobytes()
