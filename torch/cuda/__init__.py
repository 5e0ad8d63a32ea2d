"""CUDA devices. Importing this module does not start CUDA; its first use does.

Everything exists in a build without CUDA too: `is_available` is False there, and what needs a
device raises AssertionError.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from torch.cuda._lazy import (
    DeferredCudaCallError,
    init,
    is_available,
    is_initialized,
)
from torch.cuda._lazy import is_compiled as _is_compiled
from torch.cuda._lazy import is_in_bad_fork as _is_in_bad_fork
from torch.cuda._lazy import lazy_call as _lazy_call
from torch.cuda._lazy import lazy_init as _lazy_init

if TYPE_CHECKING:  # these names are made below, or at their first use
    from torch._C._late_cuda import *  # noqa: F403

AcceleratorError = torch.AcceleratorError
OutOfMemoryError = torch.OutOfMemoryError
default_generators: tuple[torch.Generator, ...] = ()  # filled when CUDA starts
has_half = True
has_magma = False

# The module of each name that is imported when it is first used.
_MODULES = {
    **dict.fromkeys(
        (
            "can_device_access_peer",
            "current_blas_handle",
            "current_device",
            "current_solver_handle",
            "device",
            "device_count",
            "device_of",
            "get_arch_list",
            "get_device_capability",
            "get_device_name",
            "get_device_properties",
            "get_gencode_flags",
            "get_sync_debug_mode",
            "ipc_collect",
            "is_bf16_supported",
            "is_tf32_supported",
            "set_device",
            "set_sync_debug_mode",
            "synchronize",
            "_CudaDeviceProperties",
            "_DeviceGuard",
            "_exchange_device",
            "_get_device_index",
            "_maybe_exchange_device",
        ),
        "_devices",
    ),
    **dict.fromkeys(
        (
            "CudaError",
            "check_error",
            "cudaStatus",
            "cudart",
        ),
        "_lazy",
    ),
    **dict.fromkeys(
        (
            "clock_rate",
            "device_memory_used",
            "memory_usage",
            "power_draw",
            "temperature",
            "utilization",
        ),
        "_nvml",
    ),
    **dict.fromkeys(
        (
            "CUDAGraph",
            "graph",
            "graph_pool_handle",
            "is_current_stream_capturing",
            "make_graphed_callables",
        ),
        "graphs",
    ),
    "GreenContext": "green_contexts",
    "_compile_kernel": "_utils",
    **dict.fromkeys(
        (
            "MemPool",
            "caching_allocator_alloc",
            "caching_allocator_delete",
            "caching_allocator_disabled",
            "caching_allocator_enable",
            "CUDAPluggableAllocator",
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
        ),
        "memory",
    ),
    **dict.fromkeys(
        (
            "get_rng_state",
            "get_rng_state_all",
            "initial_seed",
            "manual_seed",
            "manual_seed_all",
            "seed",
            "seed_all",
            "set_rng_state",
            "set_rng_state_all",
        ),
        "random",
    ),
    **dict.fromkeys(
        (
            "Event",
            "ExternalStream",
            "Stream",
            "StreamContext",
            "current_stream",
            "default_stream",
            "get_stream_from_external",
            "set_stream",
            "stream",
        ),
        "streams",
    ),
}
_SUBMODULES = frozenset(
    (
        "amp",
        "comm",
        "gds",
        "graphs",
        "green_contexts",
        "jiterator",
        "memory",
        "nccl",
        "nvtx",
        "profiler",
        "random",
        "sparse",
        "streams",
        "tunable",
    )
)


def _is_legacy(name: str) -> bool:
    return name.endswith(("Tensor", "Storage")) and not name.startswith("_")


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"torch.cuda.{name}")
    if name == "_initialized":
        return is_initialized()
    value = None
    if name in _MODULES:
        value = getattr(import_module(f"torch.cuda.{_MODULES[name]}"), name)
    elif _is_legacy(name):
        legacy = import_module("torch.cuda._legacy")
        value = {**legacy.TENSORS, **legacy.STORAGES}.get(name)
    if value is None:
        raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_SUBMODULES, *_LEGACY})


_LEGACY = tuple(
    f"{name}{kind}"
    for kind in ("Tensor", "Storage")
    for name in (
        ["BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"]
        + ["ComplexDouble", "ComplexFloat"] * (kind == "Storage")
    )
)

__all__ = [
    "DeferredCudaCallError",
    "default_generators",
    "has_half",
    "has_magma",
    "init",
    "is_available",
    "is_initialized",
    *(name for name in _MODULES if not name.startswith("_")),
    *sorted(_SUBMODULES),
    *_LEGACY,
]
