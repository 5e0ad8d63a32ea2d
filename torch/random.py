"""The default random number generator: seeding it and saving its state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._C import default_generator

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


def manual_seed(seed: int) -> torch._C.Generator:
    """Seed the default generator; the same seed gives the same numbers as PyTorch."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator from the system's entropy; the seed chosen."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator started from."""
    return default_generator.initial_seed()


def get_rng_state() -> torch.Tensor:
    """The default generator's state: a uint8 tensor, interchangeable with PyTorch's."""
    return default_generator.get_state()


def set_rng_state(new_state: torch.Tensor) -> None:
    """Go back to a state that get_rng_state gave."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: object = None, enabled: bool = True) -> Iterator[None]:
    """Draw numbers inside the block without moving the generator outside it."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
