"""UntypedStorage, the memory of tensors as bytes."""

import io

import torch
from torch import _C
from torch._storage_methods import StorageMethods


class UntypedStorage(_C.StorageBase, StorageMethods):
    """A block of memory, which one or more tensors use.

    Args:
        size: The number of bytes, which are not initialised, or a sequence of bytes.
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
    is_sparse_csr = False

    def __repr__(self):
        items = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return f"{items}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"

    def __iter__(self):
        return iter(self.tolist())

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def tolist(self):
        """Return the bytes as a list of integers."""
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
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
            return getattr, (_Bytes(self), "_untyped_storage")
        return _rebuild_untyped, (self._to_bytes(), str(self.device))

    @classmethod
    def from_buffer(cls, buffer, byte_order="native", count=-1, offset=0, *, dtype):
        """Copy elements out of an object with the buffer protocol.

        Args:
            buffer: The object, for example bytes.
            byte_order: The order of its bytes: "native", "little" or "big".
            count: The number of elements; all if -1.
            offset: The first byte to read.
            dtype: The dtype of the elements.

        Raises:
            ValueError: If the buffer is too short, or the byte order is unknown.

        Example:
            >>> torch.UntypedStorage.from_buffer(bytes([1, 0]), "big", dtype=torch.int16).tolist()
            [0, 1]
        """
        from torch._storage_buffers import elements

        return elements(cls, buffer, byte_order, count, offset, dtype)

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

        from torch._mapped_files import MappedFile

        with open(filename, "r+b" if shared else "rb") as file:
            if shared and file.seek(0, 2) < nbytes:
                file.truncate(nbytes)
            if nbytes == 0:
                return cls(0)
            access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
            mapped = MappedFile(file.fileno(), nbytes, access=access)
        mapped.filename = str(filename) if shared else None
        return cls._over_buffer(mapped)

    @property
    def filename(self):
        """Return the path of the file that `from_file` mapped with `shared=True`, else None."""
        return getattr(self._buffer_owner, "filename", None)

    def new(self):
        """Return an empty storage on the same device."""
        return type(self)(0, device=self.device)

    def type(self, dtype=None, non_blocking=False):
        """Return the name of the class, or a copy as a storage of another type.

        Args:
            dtype: A class such as torch.FloatStorage, or its name.
            non_blocking: Accepted for compatibility.

        Example:
            >>> torch.UntypedStorage([1, 2]).type(torch.FloatStorage).tolist()  # doctest: +SKIP
            [1.0, 2.0]
        """
        if dtype is None:
            return f"{type(self).__module__}.{type(self).__name__}"
        return self._tensor()._typed_storage().type(dtype)

    def byteswap(self, dtype):
        """Reverse the order of the bytes of each element, in place.

        Args:
            dtype: The dtype of the elements; the parts of a complex number are reversed each.

        Raises:
            RuntimeError: If the number of bytes is not a multiple of the element's size.

        Example:
            >>> storage = torch.UntypedStorage([1, 2, 3, 4])
            >>> storage.byteswap(torch.int16)
            >>> storage.tolist()
            [2, 1, 4, 3]
        """
        size = dtype.itemsize // (2 if dtype.is_complex else 1)
        if self.nbytes() % dtype.itemsize:
            raise RuntimeError(f"the length of data is not a multiple of {dtype.itemsize}")
        if size > 1:
            elements = self._tensor().view(-1, size)
            elements.copy_(elements.flip(1))

    def mps(self):
        """Raise an error, as this build has no back end for Apple's GPUs.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("torch.UntypedStorage(): Storage device not recognized: mps")

    def _tensor(self):
        tensor = _C._VariableFunctions.empty(0, dtype=_C.uint8, device=self.device)
        return tensor.set_(self, 0, (len(self),), (1,))

    def _with_bytes(self, untyped):
        return untyped

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._cdata == other._cdata

    def __hash__(self):
        return hash(self._cdata)

    def untyped(self):
        """Return the storage itself."""
        return self

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


class _Bytes:
    """A storage that is pickled as PyTorch does it: as a file of the format before 1.6.

    PyTorch makes a TypedStorage of it. The storage inside that one is pickled once for all tensors
    that share it, so that they share it again.
    """

    def __init__(self, storage):
        self._storage = storage

    def __reduce__(self):
        file = io.BytesIO()
        torch.save(self._storage, file, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (file.getvalue(),)


def _load_from_bytes(data):
    return torch.load(io.BytesIO(data), weights_only=False)


_load_from_bytes.__module__ = "torch.storage"  # where PyTorch's pickles look for it


def _rebuild_untyped(data, device="cpu"):
    return UntypedStorage._from_bytes(data).to(device=device)


_rebuild_untyped.__module__ = "torch.storage"  # where pickles look for it


_C._set_storage_class(UntypedStorage)
