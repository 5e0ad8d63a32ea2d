"""Pickle tensors, storages and parameters between processes as references to shared memory."""

from __future__ import annotations

import os
import select
import threading
from dataclasses import dataclass
from multiprocessing.context import get_spawning_popen
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import Any

import torch
from torch import _utils
from torch.multiprocessing.strategy import get_sharing_strategy
from torch.nn.parameter import Parameter
from torch.storage import TypedStorage, UntypedStorage

__all__ = [
    "StorageWeakRef",
    "init_reductions",
    "reduce_storage",
    "reduce_tensor",
    "reduce_typed_storage",
]


class StorageWeakRef:
    """A weak reference to a storage.

    Args:
        storage: The storage, which the reference does not keep alive.

    Example:
        >>> from torch.multiprocessing.reductions import StorageWeakRef
        >>> reference = StorageWeakRef(torch.ones(1).untyped_storage())
        >>> reference.expired()
        True
    """

    __slots__ = ("cdata",)

    def __init__(self, storage: UntypedStorage) -> None:
        self.cdata = storage._weak_ref()

    def expired(self) -> bool:
        """Return whether the storage no longer exists."""
        return UntypedStorage._expired(self.cdata)

    def storage(self) -> UntypedStorage | None:
        """Return the storage, or None if it no longer exists."""
        return UntypedStorage._new_with_weak_ptr(self.cdata)

    def __del__(self) -> None:
        UntypedStorage._free_weak_ref(self.cdata)


class SharedCache:
    """The storages in shared memory that this process has, so that each block is mapped once.

    Expired entries are removed whenever the cache has doubled: a constant cost per entry.
    """

    def __init__(self) -> None:
        self._storages: dict[Any, StorageWeakRef] = {}
        self._limit = 128
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._new_lock)

    def _new_lock(self) -> None:
        self._lock = threading.Lock()

    def get(self, key: Any) -> UntypedStorage | None:
        """Return the storage of a block of shared memory, or None if there is none."""
        with self._lock:
            reference = self._storages.get(key)
            return None if reference is None else reference.storage()

    def add(self, key: Any, storage: UntypedStorage) -> None:
        """Store the storage of a block of shared memory."""
        with self._lock:
            self._storages[key] = StorageWeakRef(storage)
            if len(self._storages) > self._limit:
                alive = {k: ref for k, ref in self._storages.items() if not ref.expired()}
                self._storages = alive
                self._limit = max(128, 2 * len(alive))


shared_cache = SharedCache()


def _identity(fd: int) -> tuple[int, int]:
    """Return a key that is equal for all descriptors of the same memory."""
    status = os.fstat(fd)
    return status.st_ino, status.st_dev


def rebuild_storage_fd(cls: type[UntypedStorage], df: Any, size: int) -> UntypedStorage:
    """Return the storage for a descriptor that another process sent."""
    fd = df.detach()
    try:
        key = _identity(fd)
        storage = shared_cache.get(key)
        if storage is None:
            storage = cls._new_shared_fd_cpu(fd, size)
            shared_cache.add(key, storage)
        return storage
    finally:
        os.close(fd)


def rebuild_storage_filename(
    cls: type[UntypedStorage], manager: bytes, handle: bytes, size: int
) -> UntypedStorage:
    """Return the storage for a name; the sender has already counted this reference."""
    storage = shared_cache.get(handle)
    if storage is None:
        storage = cls._new_shared_filename_cpu(manager, handle, size)
        shared_cache.add(handle, storage)
    return storage._shared_decref()


@dataclass
class _SentBlock:
    """A block of CUDA memory that another process may still use."""

    storage: UntypedStorage
    event: Any  # which the receiver opens
    reader: int
    writer: int | None  # open as long as a child is being started that inherits it
    starting: Any


class SentBlocks:
    """Keeps blocks of CUDA memory alive that were sent to other processes.

    The receiver of a block holds the only writing end of a pipe, and closes it with its storage.
    So the sender learns from the reading end that the block is free, even if the receiver crashed.
    """

    def __init__(self) -> None:
        self._blocks: list[_SentBlock] = []
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._blocks = []

    def __len__(self) -> int:
        return len(self._blocks)

    def add(self, storage: UntypedStorage, event: Any) -> Any:
        """Keep a storage, and return what sends the writing end to its receiver."""
        self.collect()
        reader, writer = os.pipe()
        starting = get_spawning_popen()
        message = DupFd(writer)
        block = _SentBlock(storage, event, reader, writer, starting)
        if starting is None:
            self._close_writer(block)
        with self._lock:
            self._blocks.append(block)
        return message

    @staticmethod
    def _close_writer(block: _SentBlock) -> None:
        if block.writer is not None:
            os.close(block.writer)
            block.writer = None

    def _is_free(self, block: _SentBlock) -> bool:
        if getattr(block.starting, "pid", None) is not None:
            self._close_writer(block)
        poll = select.poll()
        poll.register(block.reader, select.POLLHUP)
        return bool(poll.poll(0))

    def collect(self) -> None:
        """Release the blocks that their receivers use no more."""
        with self._lock:
            free = [block for block in self._blocks if self._is_free(block)]
            self._blocks = [block for block in self._blocks if block not in free]
        for block in free:
            os.close(block.reader)


sent_blocks = SentBlocks()


def rebuild_storage_cuda(
    device: int, segment: bytes, offset: int, size: int, event: bytes, df: Any
) -> UntypedStorage:
    """Return a storage over another process's memory, which the current stream may use at once."""
    torch.cuda._lazy_init()
    fd = df.detach()
    try:
        storage: UntypedStorage = torch._C._cuda_openSharedStorage(
            device, segment, offset, size, fd
        )
    except BaseException:
        os.close(fd)
        raise
    with torch.cuda.device(device):
        torch.cuda.Event.from_ipc_handle(device, event).wait()
    return storage


def _reduce_storage_cuda(storage: UntypedStorage) -> tuple[Any, ...]:
    device, segment, offset = torch._C._cuda_shareStorage(storage)
    with torch.cuda.device(device):
        event = torch.cuda.Event(interprocess=True)
        event.record()
    receipt = sent_blocks.add(storage, event)
    arguments = (device, segment, offset, storage.nbytes(), event.ipc_handle(), receipt)
    return rebuild_storage_cuda, arguments


def rebuild_storage_empty(cls: type[UntypedStorage], device: str = "cpu") -> UntypedStorage:
    """Create a storage of size 0."""
    return cls(0, device=device)


def reduce_storage(storage: UntypedStorage) -> tuple[Any, ...]:
    """Reduce a storage to a reference to shared memory, where it is moved if necessary.

    Memory of CUDA devices stays where it is. The sender keeps it until the receiver has freed its
    storage, and must not end before that.

    Raises:
        RuntimeError: If the memory is another process's, or has no handle (expandable segments).

    Example:
        >>> from torch.multiprocessing.reductions import reduce_storage
        >>> storage = torch.ones(2).untyped_storage()
        >>> rebuild, arguments = reduce_storage(storage)
        >>> storage.is_shared()
        True
    """
    kind = type(storage)
    if storage.nbytes() == 0:
        return rebuild_storage_empty, (kind, str(storage.device))
    if storage.device.type == "cuda":
        return _reduce_storage_cuda(storage)
    if get_sharing_strategy() == "file_system":
        manager, handle, size = storage._share_filename_cpu_()
        shared_cache.add(handle, storage)
        storage._shared_incref()
        return rebuild_storage_filename, (kind, manager, handle, size)
    fd, size = storage._share_fd_cpu_()
    shared_cache.add(_identity(fd), storage)
    return rebuild_storage_fd, (kind, DupFd(fd), size)


def rebuild_typed_storage(storage: UntypedStorage, dtype: torch.dtype) -> TypedStorage:
    """Create a TypedStorage over an UntypedStorage."""
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def reduce_typed_storage(storage: TypedStorage) -> tuple[Any, ...]:
    """Reduce a typed storage to its untyped storage and its dtype.

    Example:
        >>> from torch.multiprocessing.reductions import reduce_typed_storage
        >>> rebuild, (storage, dtype) = reduce_typed_storage(torch.TypedStorage(2))
        >>> storage.nbytes(), dtype
        (8, torch.float32)
    """
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def rebuild_tensor(
    cls: type[torch.Tensor], storage: UntypedStorage, metadata: tuple[Any, ...]
) -> torch.Tensor:
    """Create a tensor from its storage and its metadata."""
    offset, size, stride, dtype, requires_grad, pending = metadata
    tensor = torch.empty(0, dtype=dtype, device=storage.device).set_(storage, offset, size, stride)
    _utils.set_tensor_metadata(tensor, pending)
    if cls is Parameter:
        return Parameter(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad) if requires_grad else tensor


def reduce_tensor(tensor: torch.Tensor) -> Any:
    """Reduce a tensor to its storage, which is shared, and its shape, strides and dtype.

    Raises:
        RuntimeError: If the tensor requires gradients and is not a leaf: graphs cannot be sent.

    Example:
        >>> from torch.multiprocessing.reductions import reduce_tensor
        >>> rebuild, arguments = reduce_tensor(torch.ones(2, 3))
        >>> rebuild(*arguments).shape
        torch.Size([2, 3])
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, "
            "since autograd does not support crossing process boundaries.  "
            "If you just want to transfer the data, call detach() on the tensor "
            "before serializing (e.g., putting it on the queue)."
        )
    if tensor.is_meta:
        return tensor.__reduce_ex__(2)
    metadata = (
        tensor.storage_offset(),
        tuple(tensor.size()),
        tensor.stride(),
        tensor.dtype,
        tensor.requires_grad,
        _utils.get_tensor_metadata(tensor),
    )
    return rebuild_tensor, (type(tensor), tensor.untyped_storage(), metadata)


def init_reductions() -> None:
    """Register the reductions with multiprocessing, whose queues and pipes then use them.

    Importing torch.multiprocessing calls this function.

    Example:
        >>> torch.multiprocessing.reductions.init_reductions()
    """
    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(TypedStorage, reduce_typed_storage)
    ForkingPickler.register(torch.Tensor, reduce_tensor)
    ForkingPickler.register(Parameter, reduce_tensor)
