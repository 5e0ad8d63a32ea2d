"""Pools of memory apart from the caching allocator's own, and allocators from shared libraries."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch import _C
from torch.cuda import _lazy
from torch.cuda._devices import Device, _get_device_index


class _CUDAAllocator:
    """An allocator that can take the place of the native one or give a pool its memory."""

    def __init__(self, allocator: Any) -> None:
        self._allocator = allocator

    def allocator(self) -> Any:
        """Return the allocator as a MemPool takes it."""
        return self._allocator


class CUDAPluggableAllocator(_CUDAAllocator):
    """An allocator of two C functions in a shared library.

    They are `void* alloc(ssize_t size, int device, cudaStream_t stream)` and
    `void free(void* ptr, ssize_t size, int device, cudaStream_t stream)`. Memory is freed as soon
    as a tensor dies, after the streams of `record_stream`.

    Args:
        path_to_so_file: The path of the library.
        alloc_fn_name: The name of the function that allocates.
        free_fn_name: The name of the function that frees.

    Raises:
        OSError: If the library cannot be loaded.
        AttributeError: If it lacks one of the functions.

    Example:
        >>> new = torch.cuda.memory.CUDAPluggableAllocator(
        ...     "alloc.so", "my_malloc", "my_free"
        ... )  # doctest: +SKIP
        >>> torch.cuda.memory.change_current_allocator(new)  # doctest: +SKIP
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        import ctypes

        library = ctypes.CDLL(path_to_so_file)
        addresses = [
            ctypes.cast(getattr(library, name), ctypes.c_void_p).value
            for name in (alloc_fn_name, free_fn_name)
        ]
        _lazy.require_build()
        super().__init__(_C._cuda_customAllocator(*addresses))


def change_current_allocator(allocator: _CUDAAllocator) -> None:
    """Put another allocator in the place of the native one, for the life of the process.

    Statistics, limits and pools are the native allocator's, and raise NotImplementedError then.

    Args:
        allocator: A `CUDAPluggableAllocator`.

    Raises:
        RuntimeError: If memory was allocated before.

    Example:
        >>> torch.cuda.memory.change_current_allocator(allocator)  # doctest: +SKIP
    """
    _lazy.require_build()
    _C._cuda_changeCurrentAllocator(allocator.allocator())


class MemPool:
    """A pool of memory of the current device, apart from what other tensors use.

    `use_mem_pool` allocates from it. Its cached memory returns to the driver when the pool dies and
    its tensors are gone.

    Args:
        allocator: What gives the pool its memory, as `CUDAPluggableAllocator.allocator` returns it;
            cudaMalloc if None.
        use_on_oom: Not supported.
        no_split: Not supported.

    Example:
        >>> pool = torch.cuda.MemPool()  # doctest: +SKIP
        >>> with torch.cuda.use_mem_pool(pool):  # doctest: +SKIP
        ...     x = torch.ones(3, device="cuda")
    """

    def __init__(
        self, allocator: Any = None, use_on_oom: bool = False, no_split: bool = False
    ) -> None:
        if not _lazy.is_compiled():
            raise RuntimeError("Tried to instantiate dummy base class MemPool")
        if use_on_oom or no_split:
            raise NotImplementedError("use_on_oom and no_split of a MemPool are not supported")
        _lazy.lazy_init()
        self._allocator = allocator
        self._device = _get_device_index(None, optional=True)
        self._id: tuple[int, int] = _C._cuda_createPool(self._device, allocator)

    def __del__(self) -> None:
        if hasattr(self, "_id"):
            _C._cuda_releasePool(self._device, self._id)
            _C._cuda_emptyPool(self._device, self._id)

    @property
    def id(self) -> tuple[int, int]:
        """Return the pool's number, which `torch.cuda.graph` takes as well."""
        return self._id

    @property
    def device(self) -> int:
        """Return the index of the pool's device."""
        return self._device

    @property
    def allocator(self) -> Any:
        """Return the allocator that gives the pool its memory, or None."""
        return self._allocator

    def use_count(self) -> int:
        """Return the number of users of the pool: this object and, for instance, graphs."""
        return _C._cuda_poolUses(self._device, self._id)

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """Return the pool's segments of memory and their blocks, as `memory_snapshot` does.

        Args:
            include_traces: Whether to read the recorded traces, too; the result does not contain them.
        """
        return _C._cuda_memorySnapshot(self._id, include_traces)["segments"]


@contextlib.contextmanager
def use_mem_pool(pool: MemPool, device: Device = None) -> Iterator[None]:
    """Allocate from a pool within a block, in this thread.

    Args:
        pool: The pool.
        device: The pool's device; the current one if None.

    Raises:
        RuntimeError: If the pool belongs to another device.

    Example:
        >>> with torch.cuda.use_mem_pool(pool):  # doctest: +SKIP
        ...     pass
    """
    _lazy.lazy_init()
    index = _get_device_index(device, optional=True)
    if index != pool.device:
        raise RuntimeError(f"the pool belongs to CUDA device {pool.device}, not to {index}")
    _C._cuda_beginAllocateCurrentThreadToPool(index, pool.id)
    try:
        yield
    finally:
        _C._cuda_endAllocateToPool(index, pool.id)
        _C._cuda_releasePool(index, pool.id)
