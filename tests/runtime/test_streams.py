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


class Words:
    """NumPy's words for a seed, taken one after another."""

    def __init__(self, seed: int) -> None:
        self._words = words(seed, 30_000).astype(np.uint64)

    def take(self, count: int) -> np.ndarray:
        taken, self._words = self._words[:count], self._words[count:]
        return taken

    def doubles(self, count: int) -> np.ndarray:
        """Return numbers in [0, 1) of 53 bits, each of two words."""
        pairs = self.take(2 * count).reshape(-1, 2)
        return (((pairs[:, 0] << 32) | pairs[:, 1]) & (2**53 - 1)).astype(np.float64) * 2.0**-53


@pytest.mark.parametrize("count", [1, 2, 623, 624, 625, 1300])
def test_words_are_taken_in_order_over_the_ends_of_states(count: int) -> None:
    torch.manual_seed(11)
    expected = Words(11)
    for _ in range(3):
        np.testing.assert_array_equal(torch.randint(0, 97, (count,)), expected.take(count) % 97)
        np.testing.assert_array_equal(
            torch.rand(count, dtype=torch.float64), expected.doubles(count)
        )
        np.testing.assert_array_equal(
            torch.empty(count).bernoulli_(0.3), expected.doubles(count) < 0.3
        )
        state = torch.get_rng_state()
        drawn = torch.rand(count)
        torch.set_rng_state(state)
        assert torch.equal(torch.rand(count), drawn)
        expected.take(count)


def test_spread_elements_take_the_same_words_as_adjacent_ones() -> None:
    torch.manual_seed(4)
    adjacent = torch.empty(700).uniform_(-3, 2)
    torch.manual_seed(4)
    spread = torch.empty(700, 2)[:, 0].uniform_(-3, 2)
    assert torch.equal(adjacent, spread)


@pytest.mark.parametrize("divisor", [1, 2, 3, 641, 2**16 + 1, 2**28 - 1])
def test_remainders_are_exact(divisor: int) -> None:
    torch.manual_seed(2)
    drawn = torch.randint(0, divisor, (5000,))
    np.testing.assert_array_equal(drawn, words(2, 5000) % divisor)


def test_states_that_point_outside_are_refused() -> None:
    torch.manual_seed(0)
    torch.rand(100)
    state = torch.get_rng_state()
    numbers = state[:24].view(torch.int64)
    numbers[2] += 100  # the position of the next word, after which `left` more are expected
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        torch.set_rng_state(state)
