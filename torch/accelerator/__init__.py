"""The accelerator of this process, whichever back end it has: a GPU, or an extension's device."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from torch import _C

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "empty_host_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]

Device = torch.device | str | int | None


def device_count() -> int:
    """Return the number of devices of the accelerator, 0 without one.

    Example:
        >>> torch.accelerator.device_count() >= 0
        True
    """
    return _C._accelerator_deviceCount()


def is_available() -> bool:
    """Return whether there is an accelerator with a device.

    Example:
        >>> torch.accelerator.is_available() == (torch.accelerator.device_count() > 0)
        True
    """
    return device_count() > 0


def current_accelerator(check_available: bool = False) -> torch.device | None:
    """Return the accelerator as a device without an index, or None if no back end is loaded.

    Args:
        check_available: Whether to return None also if the back end has no device.

    Example:
        >>> torch.accelerator.current_accelerator(check_available=True)
    """
    accelerator = _C._get_accelerator()
    return None if check_available and not is_available() else accelerator


def _index(device: Device) -> int:
    if device is None:
        return current_device_index()
    if isinstance(device, int):
        return device
    device = torch.device(device)
    accelerator = current_accelerator()
    if accelerator is None or device.type != accelerator.type:
        raise ValueError(f"{device.type} doesn't match the current accelerator {accelerator}.")
    return current_device_index() if device.index is None else device.index


def current_device_index() -> int:
    """Return the index of the current device.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.current_device_index()  # doctest: +SKIP
        0
    """
    return _C._accelerator_getDeviceIndex()


def set_device_index(device: Device, /) -> None:
    """Make a device current.

    Args:
        device: A device of the accelerator, or its index.

    Raises:
        RuntimeError: If there is no accelerator.
        ValueError: If the device is of another type.

    Example:
        >>> torch.accelerator.set_device_index(0)  # doctest: +SKIP
    """
    _C._accelerator_setDeviceIndex(_index(device))


def current_stream(device: Device = None, /) -> torch.Stream:
    """Return the current stream of a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.current_stream().query()  # doctest: +SKIP
        True
    """
    return _C._accelerator_getStream(_index(device))


def set_stream(stream: torch.Stream) -> None:
    """Make a stream current on its device.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.set_stream(torch.accelerator.current_stream())  # doctest: +SKIP
    """
    _C._accelerator_setStream(stream)


def synchronize(device: Device = None, /) -> None:
    """Wait until a device has done all its work.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.synchronize()  # doctest: +SKIP
    """
    _C._accelerator_synchronizeDevice(_index(device))


class device_index:
    """Context manager that makes a device current.

    Args:
        device: The index of a device; None changes nothing.

    Example:
        >>> with torch.accelerator.device_index(None):
        ...     pass
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *error: object) -> None:
        if self.idx is not None:
            set_device_index(self.prev_idx)


def _module() -> ModuleType:
    """Return the module of the accelerator, such as torch.cuda."""
    current_device_index()  # or raises
    accelerator = current_accelerator()
    return getattr(torch, accelerator.type if accelerator is not None else "cpu")


def empty_cache() -> None:
    """Return memory that no tensor uses to the driver.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.empty_cache()  # doctest: +SKIP
    """
    _module().empty_cache()


def empty_host_cache() -> None:
    """Return pinned memory that no tensor uses to the driver.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.empty_host_cache()  # doctest: +SKIP
    """
    _module()
    _C._host_emptyCache()


def memory_stats(device: Device = None, /) -> dict[str, Any]:
    """Return the statistics of a device's allocator, as torch.cuda.memory_stats does.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.memory_stats()["allocated_bytes.all.current"]  # doctest: +SKIP
        0
    """
    return _module().memory_stats(_index(device))


def memory_allocated(device: Device = None, /) -> int:
    """Return the bytes of memory that tensors occupy on a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.memory_allocated()  # doctest: +SKIP
        0
    """
    return _module().memory_allocated(_index(device))


def max_memory_allocated(device: Device = None, /) -> int:
    """Return the most bytes that tensors occupied on a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.max_memory_allocated()  # doctest: +SKIP
        0
    """
    return _module().max_memory_allocated(_index(device))


def memory_reserved(device: Device = None, /) -> int:
    """Return the bytes that the caching allocator holds on a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.memory_reserved()  # doctest: +SKIP
        0
    """
    return _module().memory_reserved(_index(device))


def max_memory_reserved(device: Device = None, /) -> int:
    """Return the most bytes that the caching allocator held on a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.max_memory_reserved()  # doctest: +SKIP
        0
    """
    return _module().max_memory_reserved(_index(device))


def reset_peak_memory_stats(device: Device = None, /) -> None:
    """Start to measure the peaks of a device's statistics from now on.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.reset_peak_memory_stats()  # doctest: +SKIP
    """
    _module().reset_peak_memory_stats(_index(device))


def reset_accumulated_memory_stats(device: Device = None, /) -> None:
    """Set the totals of a device's statistics to 0.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.reset_accumulated_memory_stats()  # doctest: +SKIP
    """
    _module().reset_accumulated_memory_stats(_index(device))


def get_memory_info(device: Device = None, /) -> tuple[int, int]:
    """Return the free and the total bytes of a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> free, total = torch.accelerator.get_memory_info()  # doctest: +SKIP
    """
    return _module().mem_get_info(_index(device))


current_device_idx = current_device_index
set_device_idx = set_device_index
