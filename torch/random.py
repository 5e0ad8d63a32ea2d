"""The default random number generator: seed it, and save and restore its state."""

from __future__ import annotations

import torch
from torch._C import default_generator

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = [
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]


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
    if hasattr(torch._C, "_cuda_getDeviceCount") and not torch.cuda._is_in_bad_fork():
        torch.cuda.manual_seed_all(int(seed))
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


def thread_safe_generator() -> torch._C.Generator | None:
    """Return the generator of a DataLoader's worker thread, and None elsewhere.

    This build's workers are processes, whose default generators are their own, so it is None.

    Example:
        >>> torch.rand(2, generator=torch.random.thread_safe_generator()).shape
        torch.Size([2])
    """
    return None


class fork_rng:
    """Context manager that restores the default generators' states when its block ends.

    Args:
        devices: The indices of the devices whose generators are restored besides the CPU's; all
            devices if None.
        enabled: Whether to restore the states at all.
        device_type: The type of the devices; "cuda" if None.

    Example:
        >>> generator = torch.manual_seed(0)
        >>> with torch.random.fork_rng():
        ...     inside = torch.rand(2)
        >>> torch.equal(inside, torch.rand(2))
        True
    """

    def __init__(
        self,
        devices: Iterable[Any] | None = None,
        enabled: bool = True,
        _caller: str = "fork_rng",
        _devices_kw: str = "devices",
        device_type: str | None = None,
    ) -> None:
        self.enabled = enabled
        self.devices = None if devices is None else list(devices)
        self.device_type = torch.device(device_type or "cuda").type

    def _device_states(self) -> list[tuple[Any, torch.Tensor]]:
        module = getattr(torch, self.device_type, None)
        if module is None:
            raise RuntimeError(
                f"torch has no module of `{self.device_type}`, you should register a module by "
                "`torch._register_device_module`."
            )
        if self.device_type == "cpu":
            return []
        devices = self.devices
        if devices is None:
            devices = list(range(module.device_count()))
            if len(devices) > 1:
                self._warn_about_number(len(devices))
        return [(device, module.get_rng_state(device)) for device in devices]

    def _warn_about_number(self, count: int) -> None:
        import warnings

        warnings.warn(
            f"{self.device_type.upper()} reports that you have {count} available devices, and you "
            "have used fork_rng without explicitly specifying which devices are being used. Set "
            "`devices` to the ones that you use, which is faster and silences this warning.",
            stacklevel=4,
        )

    def __enter__(self) -> None:
        self._state = get_rng_state() if self.enabled else None
        self._states = self._device_states() if self.enabled else []

    def __exit__(self, *error: object) -> None:
        if self._state is not None:
            set_rng_state(self._state)
            module = getattr(torch, self.device_type, None)
            for device, state in self._states:
                module.set_rng_state(state, device)
