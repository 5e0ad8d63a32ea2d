"""How tensors, storages and parameters travel between processes: by reference to shared memory."""

from __future__ import annotations

import os
import threading
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import Any

import torch
from torch.multiprocessing.strategy import get_sharing_strategy
from torch.nn.parameter import Parameter
from torch.storage import TypedStorage, UntypedStorage


class StorageWeakRef:
    """A reference that does not keep a storage alive."""

    __slots__ = ("cdata",)

    def __init__(self, storage: UntypedStorage) -> None:
        self.cdata = storage._weak_ref()

    def expired(self) -> bool:
        """Whether the storage is gone."""
        return UntypedStorage._expired(self.cdata)

    def storage(self) -> UntypedStorage | None:
        """The storage, unless it is gone."""
        return UntypedStorage._new_with_weak_ptr(self.cdata)

    def __del__(self) -> None:
        UntypedStorage._free_weak_ref(self.cdata)


class SharedCache:
    """The storages of shared memory that this process has, so that one that comes again is known.

    Dead ones are swept out when the cache has doubled, so that sweeping costs a constant each.
    """

    def __init__(self) -> None:
        self._storages: dict[Any, StorageWeakRef] = {}
        self._limit = 128
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._new_lock)

    def _new_lock(self) -> None:
        self._lock = threading.Lock()

    def get(self, key: Any) -> UntypedStorage | None:
        """The storage over the memory, if this process has one."""
        with self._lock:
            reference = self._storages.get(key)
            return None if reference is None else reference.storage()

    def add(self, key: Any, storage: UntypedStorage) -> None:
        """Remembers the storage over the memory."""
        with self._lock:
            self._storages[key] = StorageWeakRef(storage)
            if len(self._storages) > self._limit:
                alive = {k: ref for k, ref in self._storages.items() if not ref.expired()}
                self._storages = alive
                self._limit = max(128, 2 * len(alive))


shared_cache = SharedCache()


def _identity(fd: int) -> tuple[int, int]:
    """The same for every descriptor of the same memory."""
    status = os.fstat(fd)
    return status.st_ino, status.st_dev


def rebuild_storage_fd(cls: type[UntypedStorage], df: Any, size: int) -> UntypedStorage:
    """The storage over memory that came as a descriptor."""
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
    """The storage over memory that came as a name, which the sender has counted once for us."""
    storage = shared_cache.get(handle)
    if storage is None:
        storage = cls._new_shared_filename_cpu(manager, handle, size)
        shared_cache.add(handle, storage)
    return storage._shared_decref()


def rebuild_storage_empty(cls: type[UntypedStorage]) -> UntypedStorage:
    """A storage without memory."""
    return cls(0)


def reduce_storage(storage: UntypedStorage) -> tuple[Any, ...]:
    """Moves the storage into shared memory if it is elsewhere, and refers to that."""
    kind = type(storage)
    if storage.nbytes() == 0:
        return rebuild_storage_empty, (kind,)
    if get_sharing_strategy() == "file_system":
        manager, handle, size = storage._share_filename_cpu_()
        shared_cache.add(handle, storage)
        storage._shared_incref()
        return rebuild_storage_filename, (kind, manager, handle, size)
    fd, size = storage._share_fd_cpu_()
    shared_cache.add(_identity(fd), storage)
    return rebuild_storage_fd, (kind, DupFd(fd), size)


def rebuild_typed_storage(untyped: UntypedStorage, dtype: torch.dtype) -> TypedStorage:
    """Elements over bytes."""
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


def reduce_typed_storage(storage: TypedStorage) -> tuple[Any, ...]:
    """A typed storage is its bytes and its dtype."""
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def rebuild_tensor(
    cls: type[torch.Tensor], storage: UntypedStorage, metadata: tuple[Any, ...]
) -> torch.Tensor:
    """The tensor over a storage."""
    offset, size, stride, dtype, requires_grad = metadata
    tensor = torch.empty(0, dtype=dtype).set_(storage, offset, size, stride)
    if cls is Parameter:
        return Parameter(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad) if requires_grad else tensor


def reduce_tensor(tensor: torch.Tensor) -> Any:
    """A tensor is its storage, which is shared, and its geometry. History does not travel."""
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
    )
    return rebuild_tensor, (type(tensor), tensor.untyped_storage(), metadata)


def init_reductions() -> None:
    """Tells the pickler of multiprocessing, and with it every queue and pipe."""
    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(TypedStorage, reduce_typed_storage)
    ForkingPickler.register(torch.Tensor, reduce_tensor)
    ForkingPickler.register(Parameter, reduce_tensor)
