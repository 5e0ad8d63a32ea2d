"""Statistics of the memory of CUDA devices: what tensors use and what the caching allocator keeps."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

from torch import _C
from torch.cuda import _lazy
from torch.cuda._devices import Device, _get_device_index


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """Return the statistics of a device's allocator; empty before CUDA has started.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.memory_stats_as_nested_dict()
        {}
    """
    if not _lazy.is_initialized():
        return {}
    return _C._cuda_memoryStats(_get_device_index(device, optional=True))


def _flattened(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            name = "_".join(map(str, key)) if isinstance(key, tuple) else key
            yield from _flattened(f"{prefix}.{name}" if prefix else name, each)
    else:
        yield prefix, value


def memory_stats(device: Device = None) -> dict[str, Any]:
    """Return the statistics of a device's allocator with names such as "allocated_bytes.all.peak".

    Each quantity has the parts "all", "small_pool" and "large_pool", and each of them the values
    "current", "peak", "allocated" and "freed". The pools of graphs and of `MemPool` are named by their ids:
    "reserved_bytes_by_private_pools.0_1.all.current".

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.memory_stats().get("allocated_bytes.all.current", 0)
        0
    """
    return collections.OrderedDict(sorted(_flattened("", memory_stats_as_nested_dict(device))))


def _stat(name: str, device: Device) -> int:
    return memory_stats(device).get(name, 0)


def memory_allocated(device: Device = None) -> int:
    """Return the bytes of memory that tensors occupy on a device.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.memory_allocated()
        0
    """
    return _stat("allocated_bytes.all.current", device)


def max_memory_allocated(device: Device = None) -> int:
    """Return the most bytes that tensors occupied on a device since `reset_peak_memory_stats`.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.max_memory_allocated()
        0
    """
    return _stat("allocated_bytes.all.peak", device)


def memory_reserved(device: Device = None) -> int:
    """Return the bytes that the caching allocator holds on a device, used or not.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.memory_reserved()
        0
    """
    return _stat("reserved_bytes.all.current", device)


def max_memory_reserved(device: Device = None) -> int:
    """Return the most bytes that the caching allocator held since `reset_peak_memory_stats`.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.max_memory_reserved()
        0
    """
    return _stat("reserved_bytes.all.peak", device)


def memory_cached(device: Device = None) -> int:
    """Return `memory_reserved`, whose earlier name this is. Deprecated.

    Example:
        >>> torch.cuda.memory_cached()  # doctest: +SKIP
        0
    """
    _warn_renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: Device = None) -> int:
    """Return `max_memory_reserved`, whose earlier name this is. Deprecated.

    Example:
        >>> torch.cuda.max_memory_cached()  # doctest: +SKIP
        0
    """
    _warn_renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _warn_renamed(old: str, new: str) -> None:
    import warnings

    warnings.warn(
        f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3
    )


def reset_peak_memory_stats(device: Device = None) -> None:
    """Start to measure the peaks of a device's statistics from now on.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.reset_peak_memory_stats()  # doctest: +SKIP
    """
    _lazy.lazy_init()
    _C._cuda_resetPeakMemoryStats(_get_device_index(device, optional=True))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Set the totals of a device's statistics ("allocated", "freed", counts) to 0.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.reset_accumulated_memory_stats()  # doctest: +SKIP
    """
    _lazy.lazy_init()
    _C._cuda_resetAccumulatedMemoryStats(_get_device_index(device, optional=True))


def reset_max_memory_allocated(device: Device = None) -> None:
    """Call `reset_peak_memory_stats`, which replaces this function. Deprecated.

    Example:
        >>> torch.cuda.reset_max_memory_allocated()  # doctest: +SKIP
    """
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: Device = None) -> None:
    """Call `reset_peak_memory_stats`, which replaces this function. Deprecated.

    Example:
        >>> torch.cuda.reset_max_memory_cached()  # doctest: +SKIP
    """
    reset_peak_memory_stats(device)


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Return the statistics of the allocator of pinned memory; empty before CUDA has started.

    Example:
        >>> torch.cuda.host_memory_stats_as_nested_dict()
        {}
    """
    if not _lazy.is_initialized():
        return {}
    return _C._cuda_hostMemoryStats()


def host_memory_stats() -> dict[str, Any]:
    """Return the statistics of the allocator of pinned memory, with names such as "active_bytes.peak".

    "allocations" and "allocated_bytes" are the blocks that the driver gave, and "active_requests" and
    "active_bytes" those that tensors or unfinished copies use; each has "current", "peak", "allocated" and "freed".
    "host_alloc_time" and "host_free_time" are microseconds in calls of the driver: "total", "max", "min", "count"
    and "avg".

    Example:
        >>> torch.cuda.host_memory_stats().get("allocated_bytes.current", 0)
        0
    """
    return collections.OrderedDict(sorted(_flattened("", host_memory_stats_as_nested_dict())))


def reset_peak_host_memory_stats() -> None:
    """Make the current values of the statistics of pinned memory their peaks.

    Example:
        >>> torch.cuda.reset_peak_host_memory_stats()  # doctest: +SKIP
    """
    _lazy.lazy_init()
    _C._cuda_resetPeakHostMemoryStats()


def reset_accumulated_host_memory_stats() -> None:
    """Count what is allocated and freed from 0 again in the statistics of pinned memory.

    Example:
        >>> torch.cuda.reset_accumulated_host_memory_stats()  # doctest: +SKIP
    """
    _lazy.lazy_init()
    _C._cuda_resetAccumulatedHostMemoryStats()


def memory_snapshot(
    mempool_id: tuple[int, int] | None = None, include_traces: bool = True
) -> list[dict[str, Any]]:
    """Return the segments of memory that the allocator holds, and their blocks.

    Args:
        mempool_id: The `id` of a `MemPool` whose segments are wanted; all segments if None.
        include_traces: Whether to read the recorded traces, too; the result does not contain them.

    Example:
        >>> for segment in torch.cuda.memory_snapshot():  # doctest: +SKIP
        ...     print(segment["device"], segment["total_size"])
    """
    _lazy.lazy_init()
    return _C._cuda_memorySnapshot(mempool_id or (0, 0), include_traces)["segments"]


_UNITS = ("B  ", "KiB", "MiB", "GiB", "TiB")


_SUMMARY_BYTES = (
    ("allocated_bytes", "Allocated memory"),
    ("active_bytes", "Active memory"),
    ("requested_bytes", "Requested memory"),
    ("reserved_bytes", "GPU reserved memory"),
    ("inactive_split_bytes", "Non-releasable memory"),
)


_SUMMARY_COUNTS = (
    ("allocation", "Allocations"),
    ("active", "Active allocs"),
    ("segment", "GPU reserved segments"),
    ("inactive_split", "Non-releasable allocs"),
)


def _in_units(size: float) -> str:
    unit = 0
    while unit + 1 < len(_UNITS) and abs(size) >= 9999:
        size, unit = size / 1024, unit + 1
    return f"{int(size):7d} {_UNITS[unit]}"


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """Return a table of the statistics of a device's allocator.

    Args:
        device: A CUDA device or its index; the current one if None.
        abbreviated: Whether to leave out the rows of the small and the large pool.

    Example:
        >>> print(torch.cuda.memory_summary(abbreviated=True))  # doctest: +SKIP
    """
    _lazy.lazy_init()
    stats = memory_stats(device)
    parts = (("all", ""),)
    if not abbreviated:
        parts += (("large_pool", "from large pool"), ("small_pool", "from small pool"))
    rule = "=" * 75
    index = _get_device_index(device, optional=True)
    counts = (
        f"CUDA OOMs: {stats['num_ooms']:<12d}| cudaMalloc retries: {stats['num_alloc_retries']}"
    )
    lines = [
        f"|{rule}|",
        f"|{f'PyTorch CUDA memory summary, device ID {index}':^75}|",
        f"|{counts:^75}|",
        f"|{rule}|",
        f"|{'Metric':^23}|{'Cur Usage':^12}|{'Peak Usage':^12}|{'Tot Alloc':^12}|{'Tot Freed':^12}|",
    ]
    for rows, shown in ((_SUMMARY_BYTES, _in_units), (_SUMMARY_COUNTS, lambda n: f"{n:7d}    ")):
        for key, title in rows:
            lines.append(f"|{'-' * 75}|")
            for part, label in parts:
                values = [
                    stats[f"{key}.{part}.{x}"] for x in ("current", "peak", "allocated", "freed")
                ]
                cells = "|".join(f"{shown(value):>12}" for value in values)
                lines.append(f"| {(label and '      ' + label) or title:<22}|{cells}|")
    return "\n".join([*lines, f"|{rule}|", ""])


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Return the free and the total bytes of a device, as its driver counts them.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> free, total = torch.cuda.mem_get_info()  # doctest: +SKIP
    """
    _lazy.lazy_init()
    return _C._cuda_memGetInfo(_get_device_index(device, optional=True))
