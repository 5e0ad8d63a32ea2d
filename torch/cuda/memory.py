"""The memory of CUDA devices: its statistics, and the control of the caching allocator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import _C
from torch._published import publish_all as _publish_all
from torch.cuda import _lazy
from torch.cuda._devices import Device, _get_device_index
from torch.cuda._memory_history import (
    _dump_snapshot,
    _get_memory_metadata,
    _record_memory_history,
    _set_memory_metadata,
    _snapshot,
)
from torch.cuda._memory_statistics import (
    host_memory_stats,
    host_memory_stats_as_nested_dict,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_host_memory_stats,
    reset_peak_memory_stats,
)
from torch.cuda._pools import (
    CUDAPluggableAllocator,
    MemPool,
    change_current_allocator,
    use_mem_pool,
)

__all__ = [
    "CUDAPluggableAllocator",
    "MemPool",
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "caching_allocator_disabled",
    "caching_allocator_enable",
    "change_current_allocator",
    "empty_cache",
    "get_allocator_backend",
    "get_per_process_memory_fraction",
    "host_memory_stats",
    "host_memory_stats_as_nested_dict",
    "list_gpu_processes",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_host_memory_stats",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_host_memory_stats",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "use_mem_pool",
]


def empty_cache() -> None:
    """Return memory that no tensor uses to the driver, so that other processes can have it.

    Example:
        >>> torch.cuda.empty_cache()
    """
    if _lazy.is_initialized():
        _C._cuda_emptyCache()


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Limit the memory that this process takes on a device.

    Args:
        fraction: A share of the device's memory, from 0 to 1.
        device: A CUDA device or its index; the current one if None.

    Raises:
        TypeError: If `fraction` is not a float.
        ValueError: If it is not from 0 to 1.

    Example:
        >>> torch.cuda.set_per_process_memory_fraction(0.5)  # doctest: +SKIP
    """
    _lazy.lazy_init()
    index = _get_device_index(device, optional=True)
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _C._cuda_setMemoryFraction(fraction, index)


def get_per_process_memory_fraction(device: Device = None) -> float:
    """Return the share of a device's memory that this process may take.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.get_per_process_memory_fraction()  # doctest: +SKIP
        1.0
    """
    _lazy.lazy_init()
    return _C._cuda_getMemoryFraction(_get_device_index(device, optional=True))


def get_allocator_backend() -> str:
    """Return the name of the allocator: "native", or "pluggable" after a change.

    Example:
        >>> torch.cuda.get_allocator_backend()  # doctest: +SKIP
        'native'
    """
    _lazy.require_build()
    return _C._cuda_getAllocatorBackend()


def caching_allocator_alloc(size: int, device: Device = None, stream: Any = None) -> int:
    """Allocate memory for another library, and return its address.

    Args:
        size: The number of bytes.
        device: A CUDA device or its index; the current one if None.
        stream: The stream, or its handle, that uses the memory first; the current one if None.

    Example:
        >>> address = torch.cuda.caching_allocator_alloc(1024)  # doctest: +SKIP
    """
    _lazy.lazy_init()
    index = _get_device_index(device, optional=True)
    if stream is None:
        stream = torch.cuda.current_stream(index)
    handle = getattr(stream, "cuda_stream", stream)
    if not isinstance(handle, int):
        raise TypeError(
            "Invalid type for stream argument, must be `torch.cuda.Stream` or `int` representing "
            "a pointer to a existing stream"
        )
    with torch.cuda.device(index):
        return _C._cuda_cudaCachingAllocator_raw_alloc(size, handle)


def caching_allocator_delete(mem_ptr: int) -> None:
    """Free memory that `caching_allocator_alloc` allocated.

    Args:
        mem_ptr: The address.

    Example:
        >>> torch.cuda.caching_allocator_delete(address)  # doctest: +SKIP
    """
    _lazy.require_build()
    _C._cuda_cudaCachingAllocator_raw_delete(mem_ptr)


def caching_allocator_enable(value: bool = True) -> None:
    """Turn the cache of the allocator on; it cannot be turned off.

    Raises:
        NotImplementedError: To turn it off in a build with CUDA.

    Example:
        >>> torch.cuda.caching_allocator_enable(True)
    """
    if not value and _lazy.is_initialized():
        raise NotImplementedError("The caching allocator cannot be turned off")


@contextlib.contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """Turn the cache of the allocator off for a block; this is not supported yet.

    Example:
        >>> with torch.cuda.memory.caching_allocator_disabled():  # doctest: +SKIP
        ...     pass
    """
    caching_allocator_enable(False)
    yield


def _set_allocator_settings(env: str) -> None:
    """Replace what `PYTORCH_CUDA_ALLOC_CONF` set, for allocations from now on.

    Args:
        env: Settings as in the variable; those that it does not name get their defaults.

    Example:
        >>> torch.cuda.memory._set_allocator_settings("expandable_segments:True")  # doctest: +SKIP
    """
    _lazy.require_build()
    _C._cuda_setAllocatorSettings(env)


def list_gpu_processes(device: Device = None) -> str:
    """Return a table of the processes that use a device, as nvidia-ml-py reports them.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> print(torch.cuda.list_gpu_processes(0))  # doctest: +SKIP
    """
    try:
        import pynvml
    except ModuleNotFoundError:
        return "pynvml module not found, please install nvidia-ml-py"
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError_DriverNotLoaded:
        return "cuda driver can't be loaded, is cuda enabled?"
    index = _get_device_index(device, optional=True)
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    lines = [f"GPU:{index}"]
    processes = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    for process in processes:
        used = process.usedGpuMemory / 2**20
        lines.append(f"process {process.pid:>10d} uses {used:>12.3f} MB GPU memory")
    return "\n".join(lines if processes else [*lines, "no processes are running"])


_HISTORY = (
    _dump_snapshot,
    _get_memory_metadata,
    _record_memory_history,
    _set_memory_metadata,
    _snapshot,
)
_publish_all(globals(), [*__all__, *(function.__name__ for function in _HISTORY)])
