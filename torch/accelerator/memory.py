"""Memory of the accelerator's devices: what tensors occupy, and what their allocator holds."""

from __future__ import annotations

from typing import Any

from torch import _C
from torch.accelerator._devices import Device, back_end, index_of

__all__ = [
    "empty_cache",
    "empty_host_cache",
    "get_memory_info",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
]


def empty_cache() -> None:
    """Return memory that no tensor uses to the driver.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.empty_cache()  # doctest: +SKIP
    """
    back_end().empty_cache()


def empty_host_cache() -> None:
    """Return pinned memory that no tensor uses to the driver.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.empty_host_cache()  # doctest: +SKIP
    """
    back_end()
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
    return back_end().memory_stats(index_of(device))


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
    return back_end().memory_allocated(index_of(device))


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
    return back_end().max_memory_allocated(index_of(device))


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
    return back_end().memory_reserved(index_of(device))


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
    return back_end().max_memory_reserved(index_of(device))


def reset_peak_memory_stats(device: Device = None, /) -> None:
    """Start to measure the peaks of a device's statistics from now on.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.reset_peak_memory_stats()  # doctest: +SKIP
    """
    back_end().reset_peak_memory_stats(index_of(device))


def reset_accumulated_memory_stats(device: Device = None, /) -> None:
    """Set the totals of a device's statistics to 0.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.reset_accumulated_memory_stats()  # doctest: +SKIP
    """
    back_end().reset_accumulated_memory_stats(index_of(device))


def get_memory_info(device: Device = None, /) -> tuple[int, int]:
    """Return the free and the total bytes of a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> free, total = torch.accelerator.get_memory_info()  # doctest: +SKIP
    """
    return back_end().mem_get_info(index_of(device))
