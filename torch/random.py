"""The default random number generator: seeding it and saving its state."""

from __future__ import annotations

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


class fork_rng:
    """Draw numbers inside the block without moving the generator outside it."""

    def __init__(self, devices: object = None, enabled: bool = True) -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        self._state = get_rng_state() if self.enabled else None

    def __exit__(self, *error: object) -> None:
        if self._state is not None:
            set_rng_state(self._state)
