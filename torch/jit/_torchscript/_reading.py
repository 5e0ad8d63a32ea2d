"""Read TorchScript archives: a zip file with a program, constants, and a pickle of the module.

The pickle can only make tensors, plain values, and objects of the classes that the program defines.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import IO, Any

import torch
from torch import _utils
from torch._storage_locations import MapLocation, restorer
from torch.jit._torchscript._objects import RecursiveScriptModule, new_object
from torch.jit._torchscript._program import Program, ScriptClass
from torch.serialization import _damaged_archive, _Records, _swap_bytes
from torch.storage import LEGACY_STORAGES, TypedStorage, UntypedStorage

File = str | os.PathLike[str] | IO[bytes]
_CODE = "code/"
_TENSOR_FOLDERS = {"data.pkl": "data", "constants.pkl": "constants", "attributes.pkl": "tensors"}


def read_archive(
    f: File, map_location: MapLocation = None, extra_files: dict[str, Any] | None = None
) -> RecursiveScriptModule:
    """Return the module of an archive.

    Args:
        f: A path, or a binary file that can seek.
        map_location: Where to place tensors that were saved on other devices.
        extra_files: Names of further files in the archive; their content becomes the values.

    Raises:
        ValueError: If there is no such file.
        RuntimeError: If the file is not such an archive, or a damaged one.
    """
    _check_path(f)
    try:
        zip_file = zipfile.ZipFile(f)
    except zipfile.BadZipFile:
        raise _damaged_archive("reading zip archive: failed finding central directory") from None
    with zip_file:
        records = _Records(zip_file, None)
        if not records.has("constants.pkl"):
            raise RuntimeError(
                "the file is not a TorchScript archive: it has no constants.pkl; torch.load reads "
                "what torch.save wrote"
            )
        if extra_files is not None:
            extra_files.update({name: _extra(records, name) for name in extra_files})
        return _Reader(zip_file, records, map_location).module()


def _extra(records: _Records, name: str) -> bytes:
    """Return the content of a further file, which is empty if there is none."""
    if not records.has(f"extra/{name}"):
        return b""
    with records.open(f"extra/{name}") as file:
        return file.read()


def _check_path(f: File) -> None:
    if not isinstance(f, (str, os.PathLike)):
        return
    if not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    if os.path.isdir(f):
        raise ValueError(f"The provided filename {f} is a directory")


class _Reader:
    """Makes the values of one archive."""

    def __init__(
        self, zip_file: zipfile.ZipFile, records: _Records, map_location: MapLocation
    ) -> None:
        self._records = records
        self._restore = restorer(map_location)
        self._storages: dict[str, UntypedStorage] = {}
        version = int(records.text("version", "0"))
        program = Program({}, (), version)
        self._program = program
        constants = self._unpickle("constants.pkl")
        program.sources.update(_sources(zip_file))
        program.constants = tuple(constants)

    def module(self) -> RecursiveScriptModule:
        found = self._unpickle("data.pkl")
        if not isinstance(found, RecursiveScriptModule):
            raise RuntimeError("the archive is damaged: its data is not a module")
        return found

    def _unpickle(self, name: str) -> Any:
        with self._records.open(name) as file:
            data = io.BytesIO(file.read())
        unpickler = _Unpickler(data, self._program, lambda key: self._storage(name, key))
        try:
            return unpickler.load()
        except (pickle.UnpicklingError, EOFError, IndexError, KeyError, TypeError) as error:
            raise RuntimeError(f"the archive is damaged: {name}: {error}") from error

    def _storage(self, pickle_name: str, saved_id: Any) -> Any:
        if not isinstance(saved_id, tuple) or len(saved_id) != 5 or saved_id[0] != "storage":
            raise pickle.UnpicklingError(f"Unknown persistent id: {saved_id!r}")
        _, kind, key, location, count = saved_id
        dtype = torch.uint8 if kind is UntypedStorage else kind.dtype
        record = f"{_TENSOR_FOLDERS[pickle_name]}/{key}"
        if record not in self._storages:
            storage = self._records.storage(record, count * dtype.itemsize)
            if self._records.swapped:
                _swap_bytes(storage, dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize)
            self._storages[record] = self._restore(storage, location)
        return TypedStorage(wrap_storage=self._storages[record], dtype=dtype, _internal=True)


def _sources(zip_file: zipfile.ZipFile) -> dict[str, str]:
    """Return the text of each source file by its path below the folder of the code."""
    found = {}
    for name in zip_file.namelist():
        path = name.partition("/")[2]
        if path.startswith(_CODE) and path.endswith(".py"):
            found[path.removeprefix(_CODE)] = zip_file.read(name).decode()
    return found


def _tagged(value: Any, type: str) -> Any:
    return value


_HELPERS: dict[str, Callable[..., Any]] = {
    "torch.jit._pickle.build_intlist": list,
    "torch.jit._pickle.build_doublelist": list,
    "torch.jit._pickle.build_boollist": list,
    "torch.jit._pickle.build_tensorlist": list,
    "torch.jit._pickle.restore_type_tag": _tagged,
    "torch._utils._rebuild_tensor": _utils._rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _utils._rebuild_tensor_v2,
    "collections.OrderedDict": OrderedDict,
    "torch.device": torch.device,
    "torch.Size": torch.Size,
    "torch.storage.UntypedStorage": UntypedStorage,
    "builtins.complex": complex,
    **{f"torch.{storage.__name__}": storage for storage in LEGACY_STORAGES.values()},
}


class _Unpickler(pickle.Unpickler):
    """Makes the objects of an archive, and nothing else."""

    def __init__(
        self, file: IO[bytes], program: Program, storage_of: Callable[[Any], TypedStorage]
    ) -> None:
        super().__init__(file)
        self._program = program
        self._storage_of = storage_of

    def persistent_load(self, saved_id: Any) -> TypedStorage:
        """Return the storage for a reference."""
        return self._storage_of(saved_id)

    def find_class(self, module: str, name: str) -> Any:
        """Return what makes an object: a class of the program, or one of the known functions."""
        full = f"{module}.{name}"
        if module.split(".")[0] != "__torch__":
            if full not in _HELPERS:
                raise pickle.UnpicklingError(f"the global {full} is not one of TorchScript")
            return _HELPERS[full]
        found = self._program.resolve(full)
        return _maker(found) if isinstance(found, ScriptClass) else found


def _maker(script_class: ScriptClass) -> type:
    """Return a class whose instances, for the unpickler, are objects of a class of the program."""
    return type("_Maker", (), {"__new__": lambda cls: new_object(script_class)})
