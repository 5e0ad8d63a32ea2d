"""TypedStorage, a view of memory as elements of one dtype, and torch.FloatStorage and the like."""

import copyreg
from collections.abc import Sequence

from torch import _C, _quantized_dtypes
from torch._storage_methods import StorageMethods
from torch._untyped_storage import UntypedStorage


class TypedStorage(StorageMethods):
    """A view of an UntypedStorage as elements of one dtype; prefer UntypedStorage.

    Args:
        *args: The number of elements, which are not initialised, or a sequence of elements.
        wrap_storage: The UntypedStorage to use instead of a new one.
        dtype: The dtype of the elements; the default dtype if None.
        device: Where the memory is; the CPU if None.

    Raises:
        TypeError: If the argument is neither an integer nor a sequence, or `wrap_storage` is no UntypedStorage.
        RuntimeError: If the arguments do not fit together.

    Example:
        >>> bits = torch.tensor([1.0, 2.0]).untyped_storage()
        >>> storage = torch.TypedStorage(wrap_storage=bits, dtype=torch.float32)
        >>> storage.tolist(), len(storage), storage.nbytes()
        ([1.0, 2.0], 2, 8)
    """

    __module__ = "torch.storage"

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if not _internal:
            _check_arguments(args, wrap_storage, dtype, device)
        self.dtype = _C.get_default_dtype() if dtype is None else dtype
        if wrap_storage is not None:
            self._untyped_storage = wrap_storage
        else:
            self._untyped_storage = _untyped(args[0] if args else 0, self.dtype, device)

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

    def _with_bytes(self, untyped):
        if untyped is self._untyped_storage:
            return self
        return TypedStorage(wrap_storage=untyped, dtype=self.dtype, _internal=True)

    def _tensor(self):
        tensor = _C._VariableFunctions.empty(0, dtype=self.dtype, device=self.device)
        return tensor.set_(self._untyped_storage, 0, (len(self),), (1,))

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def __len__(self):
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def size(self):
        """Return the number of elements."""
        return len(self)

    @property
    def filename(self):
        """Return the path of the file that `from_file` mapped with `shared=True`, else None."""
        return self._untyped_storage.filename

    @property
    def is_cuda(self):
        """Return whether the memory is on a CUDA device."""
        return self._untyped_storage.is_cuda

    def resizable(self):
        """Return whether `resize_` can change the size."""
        return self._untyped_storage.resizable()

    def resize_(self, size):
        """Change the number of elements, keeping the first ones; return the storage itself."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def fill_(self, value):
        """Set all elements to one value; return the storage itself."""
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        """Copy the elements of another storage of the same length; return the storage itself."""
        self._tensor().copy_(source._tensor(), bool(non_blocking))
        return self

    def to(self, *, device, non_blocking=False):
        """Return a copy on another device, or the storage itself if it is there already."""
        return self._with_bytes(self._untyped_storage.to(device=device, non_blocking=non_blocking))

    def pickle_storage_type(self):
        """Return the name of the class that files use for storages of this dtype.

        Example:
            >>> torch.FloatStorage(1).pickle_storage_type()
            'FloatStorage'
        """
        return LEGACY_STORAGES[self.dtype].__name__

    def type(self, dtype=None, non_blocking=False):
        """Return the name of the class for the dtype, or a copy as a storage of another type.

        Args:
            dtype: A class such as torch.FloatStorage, or its name.
            non_blocking: Accepted for compatibility.

        Example:
            >>> storage = torch.FloatStorage([1, 2])
            >>> storage.type()
            'torch.FloatStorage'
        """
        if dtype is None:
            place = "torch" if self.device.type == "cpu" else f"torch.{self.device.type}"
            return f"{place}.{self.pickle_storage_type()}"
        name = dtype if isinstance(dtype, str) else f"torch.{getattr(dtype, '__name__', dtype)}"
        for legacy_dtype, storage_class in LEGACY_STORAGES.items():
            if name == f"torch.{storage_class.__name__}":
                return self._tensor().to(legacy_dtype)._typed_storage()
        raise TypeError(f"{name} is not a storage class of this build")

    @classmethod
    def from_file(cls, filename, shared, size):
        """Map a file into memory; only for classes with a dtype, such as torch.FloatStorage.

        Args:
            filename: The path of the file.
            shared: Whether writes to the storage change the file, which is then created in the
                requested size if necessary.
            size: The number of elements.

        Raises:
            RuntimeError: If the class has no dtype.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("data.bin").write_bytes(bytes(range(4)))
            >>> torch.ByteStorage.from_file("data.bin", False, 4).tolist()
            [0, 1, 2, 3]
        """
        dtype = getattr(cls, "_dtype", None)
        if dtype is None:
            raise RuntimeError("from_file can only be called on derived classes")
        mapped = UntypedStorage.from_file(filename, shared, size * dtype.itemsize)
        return TypedStorage(wrap_storage=mapped, dtype=dtype, _internal=True)

    @classmethod
    def from_buffer(cls, *args, dtype=None, device=None, **kwargs):
        """Copy elements out of an object with the buffer protocol; see UntypedStorage's.

        Args:
            *args: The object, and what `UntypedStorage.from_buffer` takes.
            dtype: The dtype of the elements.
            device: The device of the storage.
            **kwargs: The same by name.
        """
        dtype = dtype or _C._get_default_dtype()
        untyped = UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs)
        if device is not None:
            untyped = untyped.to(device=device)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

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
        self._require_elements()
        return self._tensor().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._tensor()[self._position(index)].item()

    def __setitem__(self, index, value):
        self._tensor()[index if isinstance(index, slice) else self._position(index)] = value

    def _require_elements(self):
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")

    def _position(self, index):
        self._require_elements()
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return index

    def clone(self):
        """Return a storage with a copy of the elements."""
        copied = self._untyped_storage.clone()
        return TypedStorage(wrap_storage=copied, dtype=self.dtype, _internal=True)

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        copied = self._untyped_storage.__deepcopy__(memo)
        return TypedStorage(wrap_storage=copied, dtype=self.dtype, _internal=True)

    def __reduce__(self):
        if self.dtype not in LEGACY_STORAGES:  # which the format of PyTorch's pickles lacks
            return _rebuild_typed, (self._untyped_storage, self.dtype)
        state = {"dtype": self.dtype, "_untyped_storage": self._untyped_storage}
        return copyreg.__newobj__, (TypedStorage,), state

    def __eq__(self, other):
        return (
            isinstance(other, TypedStorage)
            and self.dtype == other.dtype
            and self._untyped_storage == other._untyped_storage
        )

    def __hash__(self):
        return hash((self._untyped_storage, self.dtype))

    def __repr__(self):
        name = f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"
        if self.device.type == "meta":
            return f"...\n[{name} of size {len(self)}]"
        items = "\n ".join(map(str, self.tolist()))
        return f" {items}\n[{name} of size {len(self)}]"


def _rebuild_typed(untyped, dtype):
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


_FORMS = """TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)
"""


def _check_arguments(args, wrap_storage, dtype, device):
    """Raise an error if the arguments of TypedStorage do not fit together."""
    if wrap_storage is None:
        _check_data(args, _FORMS)
        return
    if dtype is None and not args:
        raise RuntimeError(f"{_FORMS}Argument 'dtype' must be specified")
    if device is not None and not args:
        raise RuntimeError(
            f"{_FORMS}Argument 'device' should not be specified when 'wrap_storage' is given"
        )
    _check_wrapped(args, wrap_storage, _FORMS)


def _check_wrapped(args, wrap_storage, forms):
    if args:
        raise RuntimeError(
            f"{forms}No positional arguments should be given when using 'wrap_storage'"
        )
    if not isinstance(wrap_storage, UntypedStorage):
        raise TypeError(
            f"{forms}Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
        )


def _check_data(args, forms):
    if len(args) > 1:
        raise RuntimeError(f"{forms}Too many positional arguments")
    if args and not isinstance(args[0], (int, Sequence)):
        raise TypeError(f"{forms}Argument type not recognized: {type(args[0])}")


def _untyped(data, dtype, device):
    """Return memory for a number of elements, or with the elements of a sequence."""
    if isinstance(data, int):
        return UntypedStorage(data * dtype.itemsize, device=device)
    return _C._VariableFunctions.tensor(data, dtype=dtype, device=device).untyped_storage()


class _LegacyStorageMeta(type):
    """Makes isinstance(storage, torch.FloatStorage) check the dtype."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, TypedStorage) and instance.dtype is getattr(cls, "_dtype", 0)


_LEGACY_FORMS = """Expected one of:
 * no arguments
 * (int size)
 * (Sequence data)
 * (*, UntypedStorage wrap_storage)
"""


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """Base class of torch.FloatStorage and the others, which are never instantiated."""

    def __new__(cls, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        forms = f"{cls}.__new__ received an invalid combination of arguments. {_LEGACY_FORMS}"
        for name, value in (("device", device), ("dtype", dtype)):
            if value is not None:
                raise RuntimeError(f"{forms}Keyword argument {name!r} cannot be specified")
        if wrap_storage is None:
            _check_data(args, forms)
        else:
            _check_wrapped(args, wrap_storage, forms)
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls._dtype, _internal=True)

    @classmethod
    def from_buffer(cls, buffer, byte_order="native", count=-1, offset=0):
        """Copy elements out of an object with the buffer protocol; see UntypedStorage's.

        Example:
            >>> torch.ShortStorage.from_buffer(bytes([1, 0, 2, 0]), "little").tolist()
            [1, 2]
        """
        return TypedStorage.from_buffer(buffer, byte_order, count, offset, dtype=cls._dtype)


def _legacy(name, dtype):
    """Create a class such as torch.FloatStorage, which pickles name for a storage of a dtype."""
    text = f"A legacy type: creates TypedStorages of {dtype}, which are its instances."
    body = {"__doc__": text, "__module__": "torch", "dtype": dtype, "_dtype": dtype}
    return _LegacyStorageMeta(name, (_LegacyStorage,), body)


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
        "QInt8": _quantized_dtypes.qint8,
        "QUInt8": _quantized_dtypes.quint8,
        "QInt32": _quantized_dtypes.qint32,
        "QUInt4x2": _quantized_dtypes.quint4x2,
        "QUInt2x4": _quantized_dtypes.quint2x4,
    }.items()
}


def _dtype_to_storage_type_map():
    return {dtype: storage.__name__ for dtype, storage in LEGACY_STORAGES.items()}


def _storage_type_to_dtype_map():
    return {storage.__name__: dtype for dtype, storage in LEGACY_STORAGES.items()}


globals().update({storage.__name__: storage for storage in LEGACY_STORAGES.values()})

# The class of the default dtype when PyTorch is imported.
Storage = LEGACY_STORAGES[_C.float32]
