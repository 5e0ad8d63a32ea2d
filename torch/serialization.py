"""torch.save and torch.load: zip archives with a pickle and the bytes of each storage."""

from __future__ import annotations

import contextlib
import io
import mmap as _mmap
import os
import pickle
import struct
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any

import torch
from torch import _serialization_settings as _settings
from torch import _storage_locations, _storage_pickling, _unpickler
from torch._published import publish_all as _publish_all
from torch._serialization_settings import (  # noqa: F401 (part of this module's interface)
    LoadEndianness,
    check_module_version_greater_or_equal,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    get_unsafe_globals_in_checkpoint,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from torch._storage_locations import (  # noqa: F401 (likewise)
    MapLocation,
    default_restore_location,
    location_tag,
    register_package,
)
from torch._unpickler import (  # noqa: F401 (likewise)
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)
from torch.storage import TypedStorage, UntypedStorage

DEFAULT_PROTOCOL = 2
STORAGE_ALIGNMENT = 64
"""The alignment of storages in a file, in bytes, so that they can be mapped into memory."""

_FORMAT_VERSION = "1"
_ARCHIVE_VERSION = "3\n"

File = str | os.PathLike[str] | IO[bytes]
MAP_LOCATION = MapLocation

_publish_all(
    globals(),
    (
        "add_safe_globals",
        "clear_safe_globals",
        "default_restore_location",
        "get_safe_globals",
        "location_tag",
        "register_package",
        "safe_globals",
    ),
)


# ---- names that pickles contain ----------------------------------------------------------------
def _get_layout(name: str) -> torch.layout:
    """Return the layout with a name such as "torch.strided"."""
    layouts = {
        str(value): value for value in vars(torch).values() if isinstance(value, torch.layout)
    }
    return layouts[name]


def normalize_storage_type(storage_type: type) -> type:
    """Return the class that represents a kind of storage in `torch`, on every device.

    Args:
        storage_type: A class such as torch.FloatStorage or torch.cuda.FloatStorage.

    Example:
        >>> torch.serialization.normalize_storage_type(torch.FloatStorage).__name__
        'FloatStorage'
    """
    kind: type = getattr(torch, storage_type.__name__)
    return kind


# ---- writing -----------------------------------------------------------------------------------
class _Archive:
    """A zip file of uncompressed, aligned records under one folder."""

    def __init__(self, zip_file: zipfile.ZipFile, folder: str) -> None:
        self._zip = zip_file
        self._folder = folder

    def write(self, name: str, data: Any) -> None:
        """Write one record; `data` is any object with the buffer protocol."""
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


def save(
    obj: object,
    f: File,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object, such as a module's `state_dict`, to a file that PyTorch can read too.

    Tensors that share memory still share it when they are loaded.

    Args:
        obj: Any object that can be pickled.
        f: A path, or a binary file that is open for writing.
        pickle_module: A module with a class `Pickler`, such as `pickle` or `dill`.
        pickle_protocol: The version of the pickle format.
        _use_new_zipfile_serialization: Whether to write a zip archive, rather than the format that
            versions before 1.6 read.

    Raises:
        RuntimeError: If the parent directory of `f` does not exist.
            Also if tensors of different dtypes share memory.

    Example:
        >>> torch.save({"weight": torch.ones(2), "step": 3}, "checkpoint.pt")
        >>> torch.load("checkpoint.pt")
        {'weight': tensor([1., 1.]), 'step': 3}
    """
    named = isinstance(f, (str, os.PathLike))
    if not named and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    if named and not os.path.isdir(os.path.dirname(os.path.abspath(f))):
        raise RuntimeError(f"Parent directory {os.path.dirname(os.fspath(f))} does not exist.")
    if not _use_new_zipfile_serialization:
        from torch import _legacy_serialization

        with open(f, "wb") if named else contextlib.nullcontext(f) as file:
            _legacy_serialization.save(obj, file, pickle_module, pickle_protocol)
        return
    buffer = io.BytesIO()
    pickler = _storage_pickling.pickler(
        _storage_pickling.StorageReferences, pickle_module, buffer, pickle_protocol
    )
    pickler.dump(obj)
    folder = os.path.splitext(os.path.basename(os.fspath(f)))[0] if named else "archive"
    if not named and not _can_seek(f):
        f = _storage_pickling.StreamedFile(f)
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED, allowZip64=True) as zip_file:
        archive = _Archive(zip_file, folder)
        archive.write("data.pkl", buffer.getbuffer())
        archive.write(".format_version", _FORMAT_VERSION.encode())
        archive.write(".storage_alignment", str(STORAGE_ALIGNMENT).encode())
        if not _disable_byteorder_record:
            archive.write("byteorder", sys.byteorder.encode())
        for key, storage in enumerate(pickler.storages):
            skipped = getattr(_settings.skipping, "on", False)
            archive.write(f"data/{key}", bytes(storage.nbytes()) if skipped else storage.cpu())
        archive.write("version", _ARCHIVE_VERSION.encode())


def _can_seek(file: Any) -> bool:
    """Return whether zipfile may go back in a file: a gzip file says that it can seek, and cannot."""
    gzip = sys.modules.get("gzip")
    return (
        hasattr(file, "seek")
        and hasattr(file, "tell")
        and not (gzip and isinstance(file, gzip.GzipFile))
    )


# ---- reading -----------------------------------------------------------------------------------
def _damaged_archive(how: str) -> RuntimeError:
    """Return the error for a file that starts as an archive and cannot be read to its end."""
    return RuntimeError(
        f"PytorchStreamReader failed {how}. This is an internal miniz error. If you are seeing this "
        "error, there is a high likelihood that your checkpoint file is corrupted. This can happen "
        "if the checkpoint was not saved properly, was transferred incorrectly, or the file was "
        "modified after saving."
    )


class _Records:
    """The records of an archive, read on demand."""

    def __init__(self, zip_file: zipfile.ZipFile, mapped: _mmap.mmap | None) -> None:
        self._zip = zip_file
        self._mapped = mapped
        pickles = [name for name in zip_file.namelist() if name.endswith("/data.pkl")]
        if not pickles:
            raise _damaged_archive("locating file data.pkl: file not found")
        self._folder = pickles[0][: -len("data.pkl")]
        default = _settings.get_default_load_endianness() or LoadEndianness.NATIVE
        unrecorded = sys.byteorder if default is LoadEndianness.NATIVE else default.name.lower()
        self.swapped = self.text("byteorder", unrecorded) != sys.byteorder

    def has(self, name: str) -> bool:
        """Return whether a record exists."""
        return self._folder + name in self._zip.NameToInfo

    def text(self, name: str, default: str) -> str:
        """Read a record as text; return the default if it does not exist."""
        return self._zip.read(self._folder + name).decode() if self.has(name) else default

    def open(self, name: str) -> IO[bytes]:
        """Open a record as a file."""
        return self._zip.open(self._folder + name)

    def storage(self, name: str, size: int) -> UntypedStorage:
        """Return a record as a storage: a copy, or a part of the mapped file."""
        info = self._zip.NameToInfo.get(self._folder + name)
        if info is None:
            raise _damaged_archive(f"locating file {name}: file not found")
        if info.file_size != size:
            raise RuntimeError(
                f"record size ({info.file_size} bytes) does not match expected size ({size} bytes = "
                f"{size} elements * 1 bytes/element) for dtype Byte"
            )
        if self._mapped is not None and info.compress_type == zipfile.ZIP_STORED:
            return UntypedStorage._over_buffer(self._mapped, self._data_offset(info), size)
        storage = UntypedStorage(size)
        if getattr(_settings.skipping, "on", False):
            return storage
        with self._zip.open(info) as record:
            view, filled = memoryview(storage), 0
            while filled < size:
                count = record.readinto(view[filled:])
                if not count:
                    raise _damaged_archive(f"reading file {name}: file read failed")
                filled += count
        return storage

    def _data_offset(self, info: zipfile.ZipInfo) -> int:
        """Return where a record's bytes begin: after its local header, whose length varies."""
        header = self._mapped[info.header_offset : info.header_offset + zipfile.sizeFileHeader]
        name, extra = struct.unpack("<HH", header[26:30])
        return info.header_offset + zipfile.sizeFileHeader + name + extra


def _swap_bytes(storage: UntypedStorage, width: int) -> None:
    """Reverse the byte order of the elements, which have `width` bytes each."""
    view = memoryview(storage)
    source = bytes(view)
    for index in range(width):
        view[index::width] = source[width - 1 - index :: width]


def load(
    f: File,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read a file that `torch.save` wrote, here or in PyTorch.

    Args:
        f: A path, or a binary file that is open for reading and can seek.
        map_location: Where to place storages that were saved on other devices: a device, a dict
            from saved to new locations, or a function of a storage and its saved location.
        pickle_module: A module with a class `Unpickler`, such as `pickle` or `dill`.
        weights_only: Whether to accept only tensors, plain containers and what
            `add_safe_globals` allows, so that the file cannot run code. None means True, unless
            `pickle_module` is given or TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD is set.
        mmap: Whether to map the file instead of reading it: storages are read on first use, and
            writes to them do not change the file. `f` must be a path.
        **pickle_load_args: Arguments of pickle.Unpickler, such as `encoding`.

    Returns:
        The object that was saved.

    Raises:
        pickle.UnpicklingError: If `weights_only` forbids something in the file.
        RuntimeError: If the file is damaged, was not written by torch.save, or contains storages
            of a device that this build does not support.
        EOFError: If the file is empty or ends within a pickle.
        ValueError: If `mmap` is set and `f` is not a path.

    Example:
        >>> torch.save(torch.arange(3), "tensor.pt")
        >>> torch.load("tensor.pt", mmap=True)
        tensor([0, 1, 2])
    """
    weights_only = _is_weights_only(weights_only, pickle_module)
    mmap = _settings.mmap_by_default if mmap is None else mmap
    if weights_only:
        if pickle_module is not None:
            raise RuntimeError(
                "Can not safely load weights when explicit pickle_module is specified"
            )
        if set(pickle_load_args) - {"encoding"}:
            warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    named = isinstance(f, (str, os.PathLike))
    if not named:
        _require_seekable(f)
    start = 0 if named else f.tell()
    restore = _storage_locations.restorer(map_location)
    base = _unpickler.WeightsUnpickler if weights_only else (pickle_module or pickle).Unpickler
    if not _is_archive(f):
        if mmap:
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({f'{f}, ' if named else ''}"
                "_use_new_zipfile_serialization=True), please torch.save your checkpoint with this "
                "option in order to use mmap."
            )
        return _load_legacy(f, start, restore, base, pickle_load_args)
    if mmap and not named:
        raise ValueError("f must be a file path in order to use the mmap argument")
    try:
        readable = named or hasattr(f, "seekable")
        zip_file = zipfile.ZipFile(f if readable else _storage_pickling.SeekableFile(f))
    except zipfile.BadZipFile:
        raise _damaged_archive(
            "reading zip archive: "
            + ("not a ZIP archive" if _size(f) < 22 else "failed finding central directory")
        ) from None
    with zip_file, contextlib.ExitStack() as stack:
        mapped = None
        if mmap:
            shared = get_default_mmap_options() == _mmap.MAP_SHARED
            file = stack.enter_context(open(f, "r+b" if shared else "rb"))
            access = _mmap.ACCESS_WRITE if shared else _mmap.ACCESS_COPY
            mapped = _mmap.mmap(file.fileno(), 0, access=access)
        records = _Records(zip_file, mapped)
        if records.has("constants.pkl"):
            return _load_program(f, start, map_location, weights_only)
        return _unpickle(records, restore, base, pickle_load_args)


def _is_weights_only(given: bool | None, pickle_module: Any) -> bool:
    """Return what `weights_only` means: the environment and another pickle module change None."""

    def is_set(name: str) -> bool:
        return os.environ.get(name, "0").lower() in ("1", "y", "yes", "true")

    force, never = (
        is_set(name)
        for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    )
    if force and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
            "should be set, but both were set."
        )
    if force:
        return True
    if given is not None:
        return bool(given)
    if never:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the"
            "`weights_only` argument was not explicitly passed to `torch.load`, forcing "
            "weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return pickle_module is None


def _require_seekable(file: Any) -> None:
    for name in ("seek", "tell"):
        if not hasattr(file, name):
            raise AttributeError(
                f"'{type(file).__name__}' object has no attribute '{name}'. You can only torch.load "
                "from a file that is seekable. Please pre-load the data into a buffer like "
                "io.BytesIO and try to load from it instead."
            )


@contextlib.contextmanager
def _opened(f: File) -> Iterator[IO[bytes]]:
    """Open a path, or return a file to its position afterwards."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file
    else:
        start = f.tell()
        try:
            yield f
        finally:
            f.seek(start)


def _is_archive(f: File) -> bool:
    """Return whether a file starts as a zip archive with a record does."""
    with _opened(f) as file:
        return file.read(4) == b"PK\x03\x04"


def _size(f: File) -> int:
    with _opened(f) as file:
        return file.seek(0, os.SEEK_END)


def _load_program(f: File, start: int, map_location: MapLocation, weights_only: bool) -> Any:
    """Read an archive of TorchScript, which torch.jit.load reads too."""
    if weights_only:
        raise RuntimeError(
            "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. "
            "In PyTorch 2.6, we changed the default value of the ``weights_only`` argument in "
            "``torch.load`` from ``False`` to ``True``. Please use torch.jit.load for this file."
        )
    warnings.warn(
        "'torch.load' received a zip file that looks like a TorchScript archive dispatching to "
        "'torch.jit.load' (call 'torch.jit.load' directly to silence this warning)",
        UserWarning,
        stacklevel=3,
    )
    if not isinstance(f, (str, os.PathLike)):
        f.seek(start)
    return torch.jit.load(f, map_location)


def _load_legacy(
    f: File,
    start: int,
    restore: Callable[[UntypedStorage, str], UntypedStorage],
    base: Any,
    arguments: dict[str, Any],
) -> Any:
    """Read a file that is not a zip archive: PyTorch wrote those before 1.6."""
    from torch import _legacy_serialization

    named = isinstance(f, (str, os.PathLike))
    with open(f, "rb") if named else contextlib.nullcontext(f) as file, _explained(base):
        file.seek(start)
        return _legacy_serialization.load(file, restore, base, arguments)


@contextlib.contextmanager
def _explained(base: Any) -> Iterator[None]:
    """Add to the error of a weights-only load what the user can do."""
    try:
        yield
    except (pickle.UnpicklingError, EOFError) as error:
        if base is not _unpickler.WeightsUnpickler:
            raise
        if isinstance(error, EOFError) or "truncated" in str(error):
            raise EOFError from None
        raise pickle.UnpicklingError(_unpickler.explained(str(error))) from None


def _unpickle(
    records: _Records,
    restore: Callable[[UntypedStorage, str], UntypedStorage],
    base: Any,
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
                _swap_bytes(storage, dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize)
            storages[key] = restore(storage, location)
        if kind is UntypedStorage:
            return storages[key]
        return TypedStorage(wrap_storage=storages[key], dtype=dtype, _internal=True)

    class Unpickler(base):
        def persistent_load(self, saved_id: Any) -> Any:
            """Return the storage for a reference."""
            return storage_of(saved_id)

    try:
        with records.open("data.pkl") as file, _explained(base):
            return Unpickler(file, **arguments).load()
    except zipfile.BadZipFile as error:
        raise _damaged_archive(f"reading file data.pkl: {error}") from None
