"""The default random number generators of CUDA devices."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.cuda import _lazy
from torch.cuda._devices import Device, _get_device_index, current_device, device_count

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


def _generator(index: int) -> torch.Generator:
    return torch.cuda.default_generators[index]


def get_rng_state(device: Device = "cuda") -> torch.Tensor:
    """Return the state of a device's generator, a tensor of bytes on the CPU.

    Args:
        device: A CUDA device or its index; "cuda" is the current one.

    Example:
        >>> state = torch.cuda.get_rng_state()  # doctest: +SKIP
    """
    _lazy.lazy_init()
    return _generator(_get_device_index(device, optional=True)).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """Return the states of all devices' generators.

    Example:
        >>> torch.cuda.get_rng_state_all()
        []
    """
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: torch.Tensor, device: Device = "cuda") -> None:
    """Restore the state of a device's generator.

    Args:
        new_state: A tensor that `get_rng_state` returned.
        device: A CUDA device or its index; "cuda" is the current one.

    Example:
        >>> torch.cuda.set_rng_state(torch.cuda.get_rng_state())  # doctest: +SKIP
    """
    state = new_state.clone(memory_format=torch.contiguous_format)

    def restore() -> None:
        _generator(_get_device_index(device, optional=True)).set_state(state)

    _lazy.lazy_call(restore)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Restore the states of all devices' generators.

    Args:
        new_states: The tensors that `get_rng_state_all` returned.

    Example:
        >>> torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seed the current device's generator; before CUDA has started, when it starts.

    Example:
        >>> torch.cuda.manual_seed(0)
    """
    number = int(seed)
    _lazy.lazy_call(lambda: _generator(current_device()).manual_seed(number))


def manual_seed_all(seed: int) -> None:
    """Seed all devices' generators; before CUDA has started, when it starts.

    Example:
        >>> torch.cuda.manual_seed_all(0)
    """
    number = int(seed)

    def seed_each() -> None:
        for index in range(device_count()):
            _generator(index).manual_seed(number)

    _lazy.lazy_call(seed_each)


def seed() -> None:
    """Seed the current device's generator from the system's entropy.

    Example:
        >>> torch.cuda.seed()
    """
    _lazy.lazy_call(lambda: _generator(current_device()).seed())


def seed_all() -> None:
    """Seed all devices' generators with one number from the system's entropy.

    Example:
        >>> torch.cuda.seed_all()
    """

    def seed_each() -> None:
        chosen = None
        for index in range(device_count()):
            if chosen is None:
                chosen = _generator(index).seed()
            else:
                _generator(index).manual_seed(chosen)

    _lazy.lazy_call(seed_each)


def initial_seed() -> int:
    """Return the seed that the current device's generator started from.

    Example:
        >>> torch.cuda.initial_seed()  # doctest: +SKIP
        0
    """
    _lazy.lazy_init()
    return _generator(current_device()).initial_seed()
