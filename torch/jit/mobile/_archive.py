"""Mobile archives as data: what torch._C_flatbuffer parses and writes.

Values are numbered. None, numbers and strings are themselves; every other value is a tuple that
begins with its kind, and refers to further values by their numbers:

    ("Tensor", storage, scalar type, offset, sizes, strides, requires_grad, is quantized)
    ("List", values, type)  ("IntList", numbers)  ("DoubleList", numbers)  ("BoolList", numbers)
    ("Tuple", values)  ("Dict", keys, values, type)  ("Device", text)  ("Enum", type name, value)
    ("Object", type, state, attributes, setstate function)
    ("Function", name, instructions, operators, constants, types, registers, schema, class type)
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass, field
from types import ModuleType
from typing import IO, Any

IDENTIFIER = b"PTMF"
"""Bytes 4 to 8 of every archive."""
BYTECODE_VERSION = 9
"""The version of the instructions, the newest that PyTorch 2.13 has."""
CLASS_WITH_FIELD, CLASS_WITH_SETSTATE = 1, 3
"""How an object type restores its objects: attribute by attribute, or by __setstate__."""


@dataclass(frozen=True)
class Archive:
    """The content of an archive, in the order of the parser's tuple."""

    bytecode_version: int
    operator_version: int
    methods: list[int]
    """The numbers of the functions that are methods."""
    extra_files: list[tuple[str, bytes]]
    state: int
    """The number of the module."""
    values: list[Any]
    storages: list[Any]
    """Pairs of an offset and a size in a parsed archive; buffers in one to be written."""
    types: list[tuple[str, int, list[str]]]
    """Name, kind and attributes of each object type."""
    sources: list[tuple[str, bytes]] = field(default_factory=list)
    """Programs of TorchScript, which are kept but not used."""
    constants: list[int] = field(default_factory=list)


def parse(buffer: Any) -> Archive:
    """Return the content of an archive.

    Raises:
        RuntimeError: If the bytes are not an archive, or a damaged one.
    """
    try:
        return Archive(*_extension()._parse(buffer))
    except UnicodeDecodeError as error:
        raise RuntimeError(f"the mobile archive is damaged: a text is not UTF-8: {error}") from None


def serialize(archive: Archive) -> bytes:
    """Return the bytes of an archive.

    Raises:
        ValueError: If it does not fit into the format, for example because it exceeds 2 GiB.
    """
    return _extension()._serialize(tuple(getattr(archive, name) for name in _FIELDS))


_FIELDS = tuple(Archive.__dataclass_fields__)


def read_buffer(f: str | os.PathLike[str] | IO[bytes]) -> Any:
    """Return the bytes of a file so that tensors can use them: a private mapping, or a copy.

    Raises:
        ValueError: If there is no such file, or it is a directory.
    """
    if not isinstance(f, (str, os.PathLike)):
        return bytearray(f.read())
    if not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    if os.path.isdir(f):
        raise ValueError(f"The provided filename {f} is a directory")
    with open(f, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return bytearray()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)


def _extension() -> ModuleType:
    try:
        import torch._C_flatbuffer
    except ModuleNotFoundError as error:
        if error.name != "torch._C_flatbuffer":
            raise
        raise NotImplementedError(
            "mobile archives need torch._C_flatbuffer, which this build does not have; build it "
            "with USE_FLATBUFFERS=ON"
        ) from None
    return torch._C_flatbuffer
