"""The state that a checkpointed call depends on besides its arguments: generators and autocast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return the devices of the arguments that have their own generators, and their states.

    Example:
        >>> torch.utils.checkpoint.get_device_states(torch.ones(1))
        ([], [])
    """
    device_type = _device_type(args)
    get_state = getattr(getattr(torch, device_type, None), "get_rng_state", None)
    if device_type == "cpu" or get_state is None:
        return [], []
    tensors = (leaf for leaf in tree_leaves(args) if isinstance(leaf, Tensor))
    devices = sorted({t.get_device() for t in tensors if t.device.type == device_type})
    return devices, [get_state(device) for device in devices]


def set_device_states(
    devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None
) -> None:
    """Set the states that `get_device_states` returned.

    Args:
        devices: The indices of the devices.
        states: The state of each device's generator.
        device_type: The type of the devices; `DefaultDeviceType` if None.

    Example:
        >>> torch.utils.checkpoint.set_device_states([], [])
    """
    module = getattr(torch, device_type or DefaultDeviceType.get_device_type(), None)
    for device, state in zip(devices, states, strict=True):
        module.set_rng_state(state, device)


class DefaultDeviceType:
    """The type of the devices whose random numbers are repeated, if no argument is on a device.

    Example:
        >>> from torch.utils.checkpoint import DefaultDeviceType
        >>> DefaultDeviceType.get_device_type()
        'cpu'
    """

    _type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Set the type."""
        DefaultDeviceType._type = device

    @staticmethod
    def get_device_type() -> str:
        """Return the type that was set, or that of the accelerator, or "cpu"."""
        accelerator = torch.accelerator.current_accelerator()
        found = "cpu" if accelerator is None else accelerator.type
        return DefaultDeviceType._type or found


def _device_type(args: Any) -> str:
    """Return the type of the first device of the arguments that is not the CPU, or the default type."""
    tensors = (leaf for leaf in tree_leaves(args) if isinstance(leaf, Tensor))
    others = (tensor.device.type for tensor in tensors if tensor.device.type not in ("cpu", "meta"))
    return next(others, DefaultDeviceType.get_device_type())


class AmbientState:
    """The states of generators and of autocast during a call, to restore while it is repeated."""

    def __init__(self, args: Any, preserve_rng_state: bool) -> None:
        self._device_type = _device_type(args)
        self._autocast = [
            (
                device_type,
                torch.get_autocast_dtype(device_type),
                torch.is_autocast_enabled(device_type),
                torch.is_autocast_cache_enabled(),
            )
            for device_type in dict.fromkeys(("cpu", self._device_type))
            if torch.amp.is_autocast_available(device_type)
        ]
        self._generator = torch.get_rng_state() if preserve_rng_state else None
        self._devices, self._states = get_device_states(args) if preserve_rng_state else ([], [])

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Restore these states for the length of the block."""
        with ExitStack() as stack:
            for settings in self._autocast:
                stack.enter_context(torch.autocast(*settings))
            if self._generator is not None:
                stack.enter_context(self._restored_generators(self._generator))
            yield

    @contextmanager
    def _restored_generators(self, state: Tensor) -> Iterator[None]:
        device_type = self._device_type if self._devices else "cpu"
        with torch.random.fork_rng(self._devices, device_type=device_type):
            torch.set_rng_state(state)
            set_device_states(self._devices, self._states, device_type=device_type)
            yield
