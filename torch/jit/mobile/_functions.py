"""The functions of torch._C_flatbuffer and torch._C that read and write mobile archives."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch.jit.mobile import LiteScriptModule, _archive, _bytes, _load_for_lite_interpreter


def _load_mobile_module_from_file(filename: str) -> LiteScriptModule:
    """Read a module from a file."""
    return _load_for_lite_interpreter(filename)


def _load_mobile_module_from_bytes(data: bytes) -> LiteScriptModule:
    """Read a module from the bytes of an archive, which are copied once."""
    return _load_for_lite_interpreter(io.BytesIO(data))


def _save_mobile_module(
    module: LiteScriptModule, filename: str, extra_files: Mapping[str, str] | None = None
) -> None:
    """Write a module to a file, with further files by name."""
    Path(filename).write_bytes(_save_mobile_module_to_bytes(module, extra_files))


def _save_mobile_module_to_bytes(
    module: LiteScriptModule, extra_files: Mapping[str, str] | None = None
) -> bytes:
    """Return the archive of a module, with its current tensors and further files by name."""
    return module._serialized(
        {name: _bytes(content) for name, content in (extra_files or {}).items()}
    )


def _get_module_info_from_flatbuffer(data: bytes) -> dict[str, Any]:
    """Return what an archive says of itself: versions, the methods' operators, types and files."""
    archive = _archive.parse(data)
    functions = [archive.values[number] for number in archive.methods]
    rows = sorted({row for parts in functions for row in parts[3]})
    return {
        "bytecode_version": archive.bytecode_version,
        "operator_version": archive.operator_version,
        "function_names": [parts[1] for parts in functions],
        "opname_to_num_args": {
            f"{name}.{overload}" if overload else name: count for name, overload, count in rows
        },
        "type_names": sorted({name for parts in functions for name in parts[5]}),
        "extra_files": [name for name, _ in archive.extra_files],
    }
