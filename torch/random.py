"""The default random number generator: seed it, and save and restore its state."""

from __future__ import annotations

import torch
from torch._C import default_generator

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


def manual_seed(seed: int) -> torch._C.Generator:
    """Seed the default generators of all devices.

    The same seed gives the same numbers as in PyTorch.

    Args:
        seed: An integer from -2**63 to 2**64 - 1; negative values wrap around.

    Returns:
        The CPU's default generator.

    Raises:
        ValueError: If the seed does not fit into 64 bits.

    Example:
        >>> generator = torch.manual_seed(0)
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
    """
    _seed_custom_device(int(seed))
    return default_generator.manual_seed(int(seed))


def _seed_custom_device(seed: int) -> None:
    """Seed the back end that an extension added, if its device module can do so."""
    module = getattr(torch, torch._C._get_privateuse1_backend_name(), None)
    manual_seed_all = getattr(module, "manual_seed_all", None)
    if manual_seed_all is not None and not module._is_in_bad_fork():
        manual_seed_all(seed)


def seed() -> int:
    """Seed the default generator from the system's entropy, and return the seed.

    Example:
        >>> chosen = torch.seed()
        >>> chosen == torch.initial_seed()
        True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator started from.

    Example:
        >>> generator = torch.manual_seed(42)
        >>> torch.initial_seed()
        42
    """
    return default_generator.initial_seed()


def get_rng_state() -> torch.Tensor:
    """Return the state of the default generator.

    Returns:
        A tensor of bytes (uint8) on the CPU. PyTorch accepts it too.

    Example:
        >>> state = torch.get_rng_state()
        >>> first = torch.rand(3)
        >>> torch.set_rng_state(state)
        >>> torch.equal(first, torch.rand(3))
        True
    """
    return default_generator.get_state()


def set_rng_state(new_state: torch.Tensor) -> None:
    """Restore a state of the default generator.

    Args:
        new_state: A tensor that `get_rng_state` returned.

    Raises:
        RuntimeError: If the tensor is not the state of a generator.

    Example:
        >>> torch.set_rng_state(torch.get_rng_state())
    """
    default_generator.set_state(new_state)


class fork_rng:
    """Context manager that restores the default generator's state when its block ends.

    Args:
        devices: Ignored; accepted for compatibility. Only the CPU has a generator.
        enabled: Whether to restore the state at all.

    Example:
        >>> generator = torch.manual_seed(0)
        >>> with torch.random.fork_rng():
        ...     inside = torch.rand(2)
        >>> torch.equal(inside, torch.rand(2))
        True
    """

    def __init__(self, devices: object = None, enabled: bool = True) -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        self._state = get_rng_state() if self.enabled else None

    def __exit__(self, *error: object) -> None:
        if self._state is not None:
            set_rng_state(self._state)
