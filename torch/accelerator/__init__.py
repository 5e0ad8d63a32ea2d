"""The accelerator of this process, whichever back end it has: a GPU, or an extension's device."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.accelerator._devices import (
    current_accelerator,
    current_device_idx,
    current_device_index,
    current_stream,
    device_count,
    device_index,
    get_device_capability,
    is_available,
    set_device_idx,
    set_device_index,
    set_stream,
    synchronize,
)
from torch.accelerator._graph import Graph
from torch.accelerator.memory import (
    empty_cache,
    empty_host_cache,
    get_memory_info,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)

__all__ = [
    "Graph",
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "empty_host_cache",
    "get_device_capability",
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

__getattr__ = _import_at_use(__name__)
