"""Storages: the memory of tensors, as bytes (UntypedStorage) or as elements (TypedStorage)."""

from torch import _C


class UntypedStorage(_C.StorageBase):
    """A block of memory, which one or more tensors use.

    Args:
        size: The number of bytes, which are not initialised.
        device: Where the memory is; the CPU if None.

    Example:
        >>> x = torch.tensor([1, 2], dtype=torch.uint8)
        >>> storage = x.untyped_storage()
        >>> storage.tolist()
        [1, 2]
        >>> storage[0] = 7
        >>> x
        tensor([7, 2], dtype=torch.uint8)
    """

    __module__ = "torch.storage"

    def __repr__(self):
        lines = "\n".join(f" {byte}" for byte in self.tolist())
        return f"{lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """Return the bytes as a list of integers."""
        return list(self._to_bytes())

    def clone(self):
        """Return a storage with a copy of the bytes."""
        return type(self)(self.nbytes(), device=self.device).copy_(self)

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        key = self._cdata
        copies = memo.setdefault("torch", {})
        if key not in copies:
            copies[key] = self.clone()
        return copies[key]

    def __reduce__(self):
        if self.device.type == "cpu":
            return _rebuild_untyped, (self._to_bytes(),)
        return _rebuild_untyped, (self._to_bytes(), str(self.device))

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """Map a file into memory.

        Args:
            filename: The path of the file.
            shared: Whether writes to the storage change the file, which is then created in the
                requested size if necessary.
            nbytes: How many bytes to map, from the start of the file.

        Raises:
            OSError: If the file cannot be opened.
            ValueError: If the file is shorter than `nbytes` and not `shared`.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("data.bin").write_bytes(b"abcd")
            >>> torch.UntypedStorage.from_file("data.bin", nbytes=2).tolist()
            [97, 98]
        """
        import mmap

        with open(filename, "r+b" if shared else "rb") as file:
            if shared and file.seek(0, 2) < nbytes:
                file.truncate(nbytes)
            if nbytes == 0:
                return cls(0)
            access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
            return cls._over_buffer(mmap.mmap(file.fileno(), nbytes, access=access))

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._cdata == other._cdata

    def __hash__(self):
        return hash(self._cdata)

    def untyped(self):
        """Return the storage itself."""
        return self

    def cpu(self):
        """Return a copy on the CPU, or the storage itself if it is there already."""
        return self.to(device="cpu")

    def to(self, *, device, non_blocking=False):
        """Return a copy on another device, or the storage itself if it is there already.

        Args:
            device: A device, or its name; without an index, the current one of its type.
            non_blocking: Whether the copy may be asynchronous.

        Example:
            >>> storage = torch.ones(1).untyped_storage()
            >>> storage.to(device="cpu") is storage
            True
        """
        device = _C.device(device)
        if device.type == self.device.type and device.index in (None, self.device.index):
            return self
        return type(self)(self.nbytes(), device=device).copy_(self, non_blocking)

    def share_memory_(self):
        """Move the bytes to where other processes can map them; return the storage itself."""
        from torch.multiprocessing.strategy import get_sharing_strategy

        if not self.is_shared():
            by_name = get_sharing_strategy() == "file_system"
            self._share_filename_cpu_() if by_name else self._share_fd_cpu_()
        return self

    @classmethod
    def _new_shared(cls, size, *, device="cpu"):
        """Create a storage in memory that other processes can map."""
        from torch.multiprocessing.strategy import get_sharing_strategy

        if get_sharing_strategy() == "file_system":
            return cls._new_using_filename_cpu(size)
        return cls._new_using_fd_cpu(size)


def _rebuild_untyped(data, device="cpu"):
    return UntypedStorage._from_bytes(data).to(device=device)


class TypedStorage:
    """A view of an UntypedStorage as elements of one dtype; prefer UntypedStorage.

    Args:
        *args: The number of elements, which are not initialised.
        wrap_storage: The UntypedStorage to use instead of a new one.
        dtype: The dtype of the elements; the default dtype if None.
        device: Where the memory is; the CPU if None.

    Raises:
        TypeError: If the number of elements is not an integer.

    Example:
        >>> bits = torch.tensor([1.0, 2.0]).untyped_storage()
        >>> storage = torch.TypedStorage(wrap_storage=bits, dtype=torch.float32)
        >>> storage.tolist(), len(storage), storage.nbytes()
        ([1.0, 2.0], 2, 8)
    """

    __module__ = "torch.storage"

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        self.dtype = _C.get_default_dtype() if dtype is None else dtype
        if wrap_storage is not None:
            self._untyped_storage = wrap_storage
        else:
            size = args[0] if args else 0
            if not isinstance(size, int):
                raise TypeError(
                    f"TypedStorage takes a number of elements, not {type(size).__name__}; to store "
                    "data, call torch.tensor(data).storage()"
                )
            self._untyped_storage = UntypedStorage(size * self.dtype.itemsize, device=device)

    @property
    def device(self):
        """The device of the memory."""
        return self._untyped_storage.device

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    def untyped(self):
        """Return the UntypedStorage with the same bytes."""
        return self._untyped_storage

    def _tensor(self):
        tensor = _C._VariableFunctions.empty(0, dtype=self.dtype, device=self.device)
        return tensor.set_(self._untyped_storage, 0, (len(self),), (1,))

    def __len__(self):
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def size(self):
        """Return the number of elements."""
        return len(self)

    def nbytes(self):
        """Return the number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self):
        """Return the size of one element in bytes."""
        return self.dtype.itemsize

    def data_ptr(self):
        """Return the address of the first element."""
        return self._untyped_storage.data_ptr()

    def is_shared(self):
        """Return whether other processes can map the memory."""
        return self._untyped_storage.is_shared()

    def share_memory_(self):
        """Move the memory to where other processes can map it; return the storage itself."""
        self._untyped_storage.share_memory_()
        return self

    def tolist(self):
        """Return the elements as a list of Python numbers."""
        return self._tensor().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise NotImplementedError(
                "a TypedStorage has no slices; slice a tensor, or the result of untyped()"
            )
        return self._tensor()[index].item()

    def __setitem__(self, index, value):
        self._tensor()[index] = value

    def clone(self):
        """Return a storage with a copy of the elements."""
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def __deepcopy__(self, memo):
        copied = self._untyped_storage.__deepcopy__(memo)
        return TypedStorage(wrap_storage=copied, dtype=self.dtype)

    def __reduce__(self):
        return _rebuild_typed, (self._untyped_storage, self.dtype)

    def __eq__(self, other):
        return (
            isinstance(other, TypedStorage)
            and self.dtype == other.dtype
            and self._untyped_storage == other._untyped_storage
        )

    def __hash__(self):
        return hash((self._untyped_storage, self.dtype))

    def __repr__(self):
        lines = "\n".join(f" {item}" for item in self.tolist())
        name = f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"
        return f"{lines}\n[{name} of size {len(self)}]"


def _rebuild_typed(untyped, dtype):
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


class _LegacyStorageMeta(type):
    """Makes isinstance(storage, torch.FloatStorage) check the dtype."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype


def _legacy(name, dtype):
    """Create a class such as torch.FloatStorage, which pickles name for a storage of a dtype."""

    def new(cls, *args, wrap_storage=None):
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=dtype, _internal=True)

    text = f"A legacy type: creates TypedStorages of {dtype}, which are its instances."
    body = {"__doc__": text, "__module__": "torch", "__new__": new, "dtype": dtype}
    return _LegacyStorageMeta(name, (), body)


LEGACY_STORAGES = {
    dtype: _legacy(f"{name}Storage", dtype)
    for name, dtype in {
        "Bool": _C.bool,
        "Byte": _C.uint8,
        "Char": _C.int8,
        "Short": _C.int16,
        "Int": _C.int32,
        "Long": _C.int64,
        "Half": _C.float16,
        "BFloat16": _C.bfloat16,
        "Float": _C.float32,
        "Double": _C.float64,
        "ComplexFloat": _C.complex64,
        "ComplexDouble": _C.complex128,
    }.items()
}

_C._set_storage_class(UntypedStorage)
