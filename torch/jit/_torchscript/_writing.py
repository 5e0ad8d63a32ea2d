"""Write TorchScript archives that PyTorch reads, or a later `torch.jit.load`."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from torch.jit._torchscript._objects import RecursiveScriptModule, program_of
from torch.jit._torchscript._pickling import ScriptPickler
from torch.jit._torchscript._reading import File
from torch.jit._torchscript._types import ScriptType, type_of_value
from torch.serialization import _Archive

ExtraFiles = Mapping[str, "str | bytes"] | None


def write_archive(module: RecursiveScriptModule, f: File, extra_files: ExtraFiles = None) -> None:
    """Write a module with its program and state.

    Raises:
        TypeError: If the module holds a tensor that archives cannot hold.
    """
    named = not hasattr(f, "write")
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED, allowZip64=True) as zip_file:
        archive = _Archive(zip_file, PurePath(f).stem if named else "archive")  # type: ignore[arg-type]
        _write(archive, module, extra_files or {})


def _write(
    archive: _Archive, module: RecursiveScriptModule, extra_files: Mapping[str, str | bytes]
) -> None:
    program = program_of(module)
    _write_pickle(archive, "data.pkl", "data", module, ScriptType(module._script_name))
    archive.write("byteorder", sys.byteorder.encode())
    for name, content in extra_files.items():
        archive.write(f"extra/{name}", content.encode() if isinstance(content, str) else content)
    for path, text in program.sources.items():
        archive.write(f"code/{path}", text.encode())
    constants = program.constants
    _write_pickle(archive, "constants.pkl", "constants", constants, type_of_value(constants))
    archive.write("version", f"{program.version}\n".encode())


def _write_pickle(archive: _Archive, name: str, folder: str, value: Any, kind: ScriptType) -> None:
    """Write a value, and the storages of its tensors to a folder."""
    pickler = ScriptPickler()
    archive.write(name, pickler.dump(value, kind))
    for key, storage in enumerate(pickler.storages):
        archive.write(f"{folder}/{key}", storage.cpu())
