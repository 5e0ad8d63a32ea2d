"""The CPU generator is a Mersenne Twister like NumPy's, so NumPy predicts its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import torch


def words(seed: int, count: int) -> np.ndarray:
    """Return the first raw 32-bit outputs for a seed, from NumPy's generator."""
    return np.frombuffer(np.random.RandomState(seed).bytes(4 * count), dtype="<u4")


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_rand_uses_24_bits_of_each_word(seed: int) -> None:
    torch.manual_seed(seed)
    expected = (words(seed, 100) & (2**24 - 1)) * np.float32(2.0**-24)
    np.testing.assert_array_equal(torch.rand(100).numpy(), expected.astype("float32"))


@pytest.mark.parametrize("seed", [0, 7])
def test_randint_uses_words_modulo_the_range(seed: int) -> None:
    torch.manual_seed(seed)
    np.testing.assert_array_equal(torch.randint(0, 97, (50,)).numpy(), words(seed, 50) % 97)


def test_state_round_trips() -> None:
    torch.manual_seed(3)
    torch.randn(5)
    state = torch.get_rng_state()
    first = torch.randn(20)
    torch.set_rng_state(state)
    assert torch.equal(torch.randn(20), first)


def test_generators_are_independent() -> None:
    one, other = torch.Generator(), torch.Generator()
    one.manual_seed(5)
    other.manual_seed(5)
    a = torch.rand(8, generator=one)
    torch.rand(100)
    assert torch.equal(torch.rand(8, generator=other), a)
