"""Files of torch.save from before PyTorch 1.6, which are not zip archives.

Since 0.2 a file has a magic number, a protocol version, facts about the machine that wrote it, the
pickle of the object, the keys of its storages, and their bytes. Versions up to 0.1.9 wrote a tar archive of
`storages`, `tensors` and `pickle`.
"""

from __future__ import annotations

import contextlib
import io
import pickle
import struct
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import torch
from torch import _utils
from torch._storage_pickling import DIFFERENT_TYPES, pickler
from torch.storage import LEGACY_STORAGES, TypedStorage, UntypedStorage

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
_TAR_MAGIC_END = 262
"""Where the magic word of a tar archive ends."""

Restore = Callable[[UntypedStorage, str], UntypedStorage]


def as_text(name: str | bytes) -> str:
    """Return a name that Python 2 wrote, which is bytes if the caller asked for `encoding="bytes"`."""
    return name.decode("ascii") if isinstance(name, bytes) else name


Unpickler = type[pickle.Unpickler]


def load(file: IO[bytes], restore: Restore, base: Unpickler, arguments: dict[str, Any]) -> Any:
    """Read a file of either format.

    Args:
        file: The file, at its start; it must be able to seek.
        restore: Places a storage in the location that the file names.
        base: The class of the unpickler.
        arguments: Arguments of the unpickler, such as `encoding`.

    Raises:
        RuntimeError: If the file has neither format, or its storages end early.
        EOFError: If the file ends before a pickle.
        pickle.UnpicklingError: If the unpickler does not accept something in the file.
    """
    start = file.tell()
    header = file.read(_TAR_MAGIC_END)
    file.seek(start)
    if not header.endswith(b"ustar"):
        return _load_sequence(file, restore, base, arguments)
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            return _Tar(archive, restore, base, arguments).load()
    except (EOFError, struct.error, tarfile.TarError) as error:
        raise RuntimeError(f"torch.load(): the file ends early or is damaged: {error}") from None


# ---- the sequence of pickles, 0.2 to 1.5 -------------------------------------------------------
def _load_sequence(
    file: IO[bytes], restore: Restore, base: Unpickler, arguments: dict[str, Any]
) -> Any:
    if base(file, **arguments).load() != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    protocol = base(file, **arguments).load()
    if protocol != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {protocol}")
    machine = base(file, **arguments).load()
    swapped = machine.get("little_endian", True) != (sys.byteorder == "little")
    storages: dict[str, _Expected] = {}

    class SequenceUnpickler(base):  # type: ignore[valid-type, misc]
        def persistent_load(self, saved_id: Any) -> Any:
            """Return the storage for a reference; its bytes follow after the pickle."""
            kind = saved_id[0] if isinstance(saved_id, tuple) and saved_id else None
            if kind in ("module", b"module"):
                return saved_id[1]  # with its source, which nothing needs
            if kind not in ("storage", b"storage"):
                raise pickle.UnpicklingError(f"Unknown persistent id: {saved_id!r}")
            _, storage_class, key, location, count, view = saved_id
            dtype = torch.uint8 if storage_class is UntypedStorage else storage_class.dtype
            if key not in storages:
                empty = UntypedStorage(count * dtype.itemsize)
                storages[key] = _Expected(empty, restore(empty, as_text(location)), dtype)
            return _part(storages[key].placed, dtype, view)

    with _checked_at_the_end():
        result = SequenceUnpickler(file, **arguments).load()
        for key in base(file, **arguments).load():
            if key not in storages:
                raise RuntimeError(
                    f"torch.load(): the file has a storage {key!r} that nothing uses"
                )
            storages[key].fill(file, swapped)
    return result


@contextlib.contextmanager
def _checked_at_the_end() -> Iterator[None]:
    """Check the indices of sparse tensors when the storages have been read."""
    before, _utils.later_checks = _utils.later_checks, []
    try:
        yield
        for check in _utils.later_checks:
            check()
    finally:
        _utils.later_checks = before


@dataclass(frozen=True)
class _Expected:
    """A storage that the pickle refers to, whose bytes follow."""

    read: UntypedStorage
    placed: UntypedStorage
    """The same storage, or another one if the location is another device."""
    dtype: torch.dtype

    def fill(self, file: IO[bytes], swapped: bool) -> None:
        """Read the storage: the number of its elements, and their bytes."""
        (count,) = struct.unpack("<q", _exactly(file, 8))
        size = self.read.nbytes()
        if count * self.dtype.itemsize != size:
            raise RuntimeError(
                f"torch.load(): a storage of {size} bytes has {count} elements in the file"
            )
        memoryview(self.read)[:] = _exactly(file, size)
        if swapped:
            self.read.byteswap(self.dtype)
        if self.placed is not self.read and self.placed.device.type != "meta":
            self.placed.copy_(self.read)


def _part(storage: UntypedStorage, dtype: torch.dtype, view: Any) -> TypedStorage:
    """Return a storage, or the part of it that a view was."""
    if view is not None:
        _, offset, count = view
        size = dtype.itemsize
        storage = storage[offset * size : (offset + count) * size]
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise RuntimeError(
            f"unexpected EOF, expected {size - len(data)} more bytes. The file might be corrupted."
        )
    return data


# ---- the tar archive, up to 0.1.9 --------------------------------------------------------------
class _Tar:
    """The members of an archive: storages, the tensors that use them, and the object."""

    def __init__(
        self,
        archive: tarfile.TarFile,
        restore: Restore,
        base: Unpickler,
        arguments: dict[str, Any],
    ) -> None:
        self._archive = archive
        self._restore = restore
        self._base = base
        self._arguments = arguments
        self._objects: dict[int, Any] = {}

    def load(self) -> Any:
        self._read_storages(self._member("storages"))
        self._read_tensors(self._member("tensors"))
        objects = self._objects

        class TarUnpickler(self._base):  # type: ignore[name-defined, misc]
            def persistent_load(self, saved_id: Any) -> Any:
                """Return a tensor or storage by its number, or a class with its source."""
                return saved_id[0] if isinstance(saved_id, tuple) else objects[int(saved_id)]

        return TarUnpickler(self._member("pickle"), **self._arguments).load()

    def _member(self, name: str) -> IO[bytes]:
        try:
            found = self._archive.extractfile(name)
        except KeyError:
            found = None
        if found is None:
            raise RuntimeError(f"torch.load(): the tar archive has no member {name!r}")
        return io.BytesIO(found.read())

    def _unpickle(self, file: IO[bytes]) -> Any:
        return self._base(file, **self._arguments).load()

    def _read_storages(self, file: IO[bytes]) -> None:
        for _ in range(self._unpickle(file)):
            key, location, storage_class = self._unpickle(file)
            dtype = storage_class.dtype
            (count,) = struct.unpack("<q", _exactly(file, 8))
            storage = UntypedStorage(count * dtype.itemsize)
            memoryview(storage)[:] = _exactly(file, storage.nbytes())
            placed = self._restore(storage, as_text(location))
            self._objects[key] = TypedStorage(wrap_storage=placed, dtype=dtype, _internal=True)
        for target, root, offset, count in self._unpickle(file):
            whole = self._objects[root]
            self._objects[target] = _part(whole._untyped_storage, whole.dtype, (0, offset, count))

    def _read_tensors(self, file: IO[bytes]) -> None:
        for _ in range(self._unpickle(file)):
            key, storage_key, _ = self._unpickle(file)
            storage = self._objects[storage_key]
            # The number of dimensions takes eight bytes, of which four count.
            (dimensions,) = struct.unpack("<i4x", _exactly(file, 8))
            numbers = struct.unpack(f"<{2 * dimensions + 1}q", _exactly(file, 16 * dimensions + 8))
            sizes, strides = numbers[:dimensions], numbers[dimensions:-1]
            self._objects[key] = torch._utils._rebuild_tensor(storage, numbers[-1], sizes, strides)


# ---- writing -----------------------------------------------------------------------------------
class _References:
    """The part of a pickler that replaces storages by references, with the number of elements."""

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)  # type: ignore[call-arg]
        self.storages: dict[str, tuple[UntypedStorage, torch.dtype]] = {}
        self._keys: dict[int, str] = {}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """Return the reference that replaces a storage; None for other objects."""
        if not isinstance(obj, (TypedStorage, UntypedStorage)):
            return None
        dtype = obj.dtype if isinstance(obj, TypedStorage) else torch.uint8
        kind = LEGACY_STORAGES.get(dtype)
        if kind is None:
            raise TypeError(f"the format before PyTorch 1.6 has no storages of {dtype}")
        untyped = obj.untyped()
        # Equal objects make equal files, so that a hash of the pickle of a tensor does not change.
        key = self._keys.setdefault(untyped._cdata, str(len(self._keys)))
        known = self.storages.setdefault(key, (untyped, dtype))
        if untyped.nbytes() and known[1] != dtype:
            raise RuntimeError(DIFFERENT_TYPES)
        location = torch.serialization.location_tag(untyped)
        return ("storage", kind, key, location, untyped.nbytes() // dtype.itemsize, None)


def save(obj: object, file: IO[bytes], module: Any, protocol: int) -> None:
    """Write an object as a sequence of pickles, which PyTorch 0.2 and later read.

    Raises:
        TypeError: If a tensor has a dtype that the format does not know.
        RuntimeError: If tensors of different dtypes share memory.
    """
    machine = {
        "protocol_version": PROTOCOL_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for fact in (MAGIC_NUMBER, PROTOCOL_VERSION, machine):
        module.dump(fact, file, protocol=protocol)
    writer = pickler(_References, module, file, protocol)
    writer.dump(obj)
    keys = sorted(writer.storages)
    module.dump(keys, file, protocol=protocol)
    for key in keys:
        storage, dtype = writer.storages[key]
        file.write(struct.pack("<q", storage.nbytes() // dtype.itemsize))
        file.write(memoryview(storage.cpu()))
    file.flush()
