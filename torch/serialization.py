"""torch.save and torch.load: PyTorch's zip archives, a pickle beside the bytes of each storage."""

from __future__ import annotations

import contextlib
import io
import mmap as _mmap
import os
import pickle
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any

import torch
from torch import _unpickler
from torch.storage import LEGACY_STORAGES, TypedStorage, UntypedStorage

DEFAULT_PROTOCOL = 2
STORAGE_ALIGNMENT = 64
"""Where in the file a storage may begin, in bytes, so that it can be mapped into memory."""

_FORMAT_VERSION = "1"
_ARCHIVE_VERSION = "3\n"

File = str | os.PathLike[str] | IO[bytes]
MapLocation = Callable[[UntypedStorage, str], Any] | torch.device | str | dict[str, str] | None


# ---- names that pickles hold -------------------------------------------------------------------
def _get_layout(name: str) -> torch.layout:
    """A layout by its name."""
    layouts = {
        str(value): value for value in vars(torch).values() if isinstance(value, torch.layout)
    }
    return layouts[name]


# ---- what the user calls safe ------------------------------------------------------------------
def add_safe_globals(safe_globals: list[Any]) -> None:
    """Lets torch.load use these classes and functions, or (object, name) pairs."""
    _unpickler._user_globals.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What add_safe_globals has added."""
    return list(_unpickler._user_globals)


def clear_safe_globals() -> None:
    """Takes back what add_safe_globals has added."""
    _unpickler._user_globals.clear()


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """add_safe_globals for a while."""
    before = get_safe_globals()
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _unpickler._user_globals[:] = before


# ---- writing -----------------------------------------------------------------------------------
class _Archive:
    """A zip file of uncompressed, aligned records under one folder."""

    def __init__(self, zip_file: zipfile.ZipFile, folder: str) -> None:
        self._zip = zip_file
        self._folder = folder

    def write(self, name: str, data: Any) -> None:
        """One record; `data` is bytes or anything that shows its bytes."""
        data = memoryview(data).cast("B")
        info = zipfile.ZipInfo(f"{self._folder}/{name}")
        start = self._zip.fp.tell() + zipfile.sizeFileHeader + len(info.filename.encode())
        large = data.nbytes > zipfile.ZIP64_LIMIT
        if large:
            start += 20  # the extra field that holds 64-bit sizes
        padding = -(start + 4) % STORAGE_ALIGNMENT
        info.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        with self._zip.open(info, "w", force_zip64=large) as record:
            record.write(data)


class _Pickler(pickle.Pickler):
    """Replaces storages by references to records, which it collects."""

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: list[UntypedStorage] = []
        self._keys: dict[int, str] = {}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """The reference that stands for a storage."""
        if isinstance(obj, TypedStorage):
            untyped, kind, count = obj.untyped(), LEGACY_STORAGES.get(obj.dtype), len(obj)
            if kind is None:
                kind, count = UntypedStorage, untyped.nbytes()
        elif isinstance(obj, UntypedStorage):
            untyped, kind, count = obj, UntypedStorage, obj.nbytes()
        else:
            return None
        key = self._keys.setdefault(untyped._cdata, str(len(self.storages)))
        if int(key) == len(self.storages):
            self.storages.append(untyped)
        return ("storage", kind, key, str(untyped.device), count)


def save(
    obj: object,
    f: File,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object and the storages of its tensors; tensors that share one still do when loaded.

    `f` is a path or a binary file open for writing. Raises RuntimeError for a folder that is missing.
    """
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("torch.save(): the format before PyTorch 1.6 cannot be written")
    if pickle_module is not pickle:
        raise NotImplementedError("torch.save(): pickle_module must be pickle")
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, pickle_protocol)
    pickler.dump(obj)
    named = isinstance(f, (str, os.PathLike))
    folder = os.path.splitext(os.path.basename(os.fspath(f)))[0] if named else "archive"
    if named and not os.path.isdir(os.path.dirname(os.path.abspath(f))):
        raise RuntimeError(f"Parent directory {os.path.dirname(os.fspath(f))} does not exist.")
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED, allowZip64=True) as zip_file:
        archive = _Archive(zip_file, folder)
        archive.write("data.pkl", buffer.getbuffer())
        archive.write(".format_version", _FORMAT_VERSION.encode())
        archive.write(".storage_alignment", str(STORAGE_ALIGNMENT).encode())
        if not _disable_byteorder_record:
            archive.write("byteorder", sys.byteorder.encode())
        for key, storage in enumerate(pickler.storages):
            archive.write(f"data/{key}", storage.cpu())
        archive.write("version", _ARCHIVE_VERSION.encode())


# ---- reading -----------------------------------------------------------------------------------
class _Records:
    """The records of an archive, read when asked for."""

    def __init__(self, zip_file: zipfile.ZipFile, mapped: _mmap.mmap | None) -> None:
        self._zip = zip_file
        self._mapped = mapped
        pickles = [name for name in zip_file.namelist() if name.endswith("/data.pkl")]
        if not pickles:
            raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")
        self._folder = pickles[0][: -len("data.pkl")]
        self.swapped = self.text("byteorder", sys.byteorder) != sys.byteorder

    def has(self, name: str) -> bool:
        """Whether there is a record."""
        return self._folder + name in self._zip.NameToInfo

    def text(self, name: str, default: str) -> str:
        """A record of text."""
        return self._zip.read(self._folder + name).decode() if self.has(name) else default

    def open(self, name: str) -> IO[bytes]:
        """A record as a file."""
        return self._zip.open(self._folder + name)

    def storage(self, name: str, size: int) -> UntypedStorage:
        """A record's bytes as a storage: read, or a part of the mapped file."""
        info = self._zip.NameToInfo.get(self._folder + name)
        if info is None or info.file_size < size:
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}: it is too short")
        if self._mapped is not None and info.compress_type == zipfile.ZIP_STORED:
            return UntypedStorage._over_buffer(self._mapped, self._start(info), size)
        storage = UntypedStorage(size)
        with self._zip.open(info) as record:
            view, filled = memoryview(storage), 0
            while filled < size:
                count = record.readinto(view[filled:])
                if not count:
                    raise RuntimeError(f"PytorchStreamReader failed reading file {name}")
                filled += count
        return storage

    def _start(self, info: zipfile.ZipInfo) -> int:
        """Where a record's bytes begin: behind its local header, whose lengths are its own."""
        header = self._mapped[info.header_offset : info.header_offset + zipfile.sizeFileHeader]
        name, extra = struct.unpack("<HH", header[26:30])
        return info.header_offset + zipfile.sizeFileHeader + name + extra


def _swap(storage: UntypedStorage, width: int) -> None:
    """Turns the bytes of each `width` of a storage around."""
    view = memoryview(storage)
    source = bytes(view)
    for index in range(width):
        view[index::width] = source[width - 1 - index :: width]


def _on_cpu(storage: UntypedStorage, location: str) -> UntypedStorage:
    """Where a storage was is where it goes; this build has CPUs only."""
    kind = location.split(":")[0]
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    if kind != "cpu":
        raise RuntimeError(
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
            f"{location})"
        )
    return storage


def _restorer(map_location: MapLocation) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """The function that puts a storage where map_location says."""
    if map_location is None:
        return _on_cpu
    if isinstance(map_location, dict):
        return lambda storage, location: _on_cpu(storage, map_location.get(location, location))
    if isinstance(map_location, (str, torch.device)):
        return lambda storage, location: _on_cpu(storage, str(map_location))

    def restore(storage: UntypedStorage, location: str) -> UntypedStorage:
        placed = map_location(storage, location)
        return _on_cpu(storage, location) if placed is None else placed

    return restore


def load(
    f: File,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads what save() wrote, here or in PyTorch.

    With `weights_only`, the default, only tensors, plain containers and what add_safe_globals names
    are made: a file cannot run code. With `mmap`, storages are parts of the file, read when touched
    and private to the process. Raises pickle.UnpicklingError for anything that is refused.
    """
    if pickle_module is not None and pickle_module is not pickle:
        raise NotImplementedError("torch.load(): pickle_module must be pickle")
    weights_only = True if weights_only is None else weights_only
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    try:
        zip_file = zipfile.ZipFile(f)
    except zipfile.BadZipFile:
        raise RuntimeError(
            "torch.load(): the file is not a zip archive. PyTorch has written archives since 1.6: "
            "load and save an older file there, with _use_new_zipfile_serialization=True."
        ) from None
    with zip_file, contextlib.ExitStack() as stack:
        mapped = None
        if mmap:
            file = stack.enter_context(open(f, "rb"))
            mapped = _mmap.mmap(file.fileno(), 0, access=_mmap.ACCESS_COPY)
        records = _Records(zip_file, mapped)
        if records.has("constants.pkl"):
            raise RuntimeError(
                "torch.load(): this is a TorchScript archive, which is not supported"
            )
        return _unpickle(records, _restorer(map_location), weights_only, pickle_load_args)


def _unpickle(
    records: _Records,
    restore: Callable[[UntypedStorage, str], UntypedStorage],
    weights_only: bool,
    arguments: dict[str, Any],
) -> Any:
    storages: dict[str, UntypedStorage] = {}

    def storage_of(saved_id: Any) -> Any:
        if not isinstance(saved_id, tuple) or len(saved_id) != 5 or saved_id[0] != "storage":
            raise pickle.UnpicklingError(f"Unknown persistent id: {saved_id!r}")
        _, kind, key, location, count = saved_id
        dtype = torch.uint8 if kind is UntypedStorage else kind.dtype
        if key not in storages:
            storage = records.storage(f"data/{key}", count * dtype.itemsize)
            if records.swapped:
                _swap(storage, dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize)
            storages[key] = restore(storage, location)
        if kind is UntypedStorage:
            return storages[key]
        return TypedStorage(wrap_storage=storages[key], dtype=dtype, _internal=True)

    base = _unpickler.WeightsUnpickler if weights_only else pickle.Unpickler

    class Unpickler(base):
        def persistent_load(self, saved_id: Any) -> Any:
            return storage_of(saved_id)

    with records.open("data.pkl") as file:
        try:
            return Unpickler(file, **arguments).load()
        except pickle.UnpicklingError as error:
            if not weights_only:
                raise
            raise pickle.UnpicklingError(
                "Weights only load failed. In PyTorch 2.6, the default of `weights_only` became "
                "True. Loading with `weights_only=False` can run code of the file's: do it only if "
                f"you trust its source.\n\t{error}"
            ) from None
