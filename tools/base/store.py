"""What a build remembers: records of one JSON file each, read whole or not at all, replaced atomically.

A record carries a checksum and, if its contents changed over time, the number of its format. A record that
is missing, cut short, edited or in another format reads as None, and whatever depends on it is made again.
Each module declares the records that it owns, and other files that it writes in a build directory, so that
`clean` knows them. Nothing but records may be trusted unchecked there.

The no-op build imports this module.
"""

from __future__ import annotations

import os
import zlib

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from typing import Any, Generic, TypeVar

    T = TypeVar("T")

    class _Typed(Generic[T]): ...

else:
    T = None

    class _Typed:
        def __class_getitem__(cls, _):
            return cls


_build_files: list[str] = []


def build_file(name: str) -> str:
    """Declare a file that a module writes in a build directory. Return its name, relative to that directory."""
    _build_files.append(name)
    return name


def declared_files() -> list[str]:
    """Return the names that the modules imported so far have declared."""
    return sorted(set(_build_files))


_SEALED = b'{"crc": "%08x", "record": %b}\n'
_HEAD = len(_SEALED % (0, b"")) - len(b"}\n")


def read_sealed(path: str | os.PathLike[str]) -> Any:
    """Return the value, or None if the file is missing, cut short or edited."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    body = data[_HEAD:-2]
    return _parse(body.decode()) if data == _SEALED % (zlib.crc32(body), body) else None


class _Scanned:
    """The settings of a JSON scanner, which are those of json.loads."""

    strict = True
    object_hook = object_pairs_hook = parse_constant = None
    parse_float = float
    parse_int = int


def _parse(text: str) -> Any:
    """Parse valid JSON. The no-op build needs the scanner only, and `json` imports much more."""
    try:
        from _json import make_scanner
    except ImportError:  # an implementation of Python without it
        import json

        return json.loads(text)
    return make_scanner(_Scanned)(text, 0)[0]  # type: ignore[arg-type]


def write_sealed(path: str | os.PathLike[str], value: object) -> bool:
    """Replace the file if the value changed. Return whether it did."""
    import json

    from .atomic import write_if_changed

    body = json.dumps(value, separators=(",", ":")).encode()
    return write_if_changed(path, _SEALED % (zlib.crc32(body), body))


class Record(_Typed[T]):
    """A kind of record: its file in a build directory, its type, and the number of its format."""

    def __init__(self, name: str, format: int | None = None) -> None:
        self.name = build_file(name)
        self.format = format

    def path(self, folder: str | os.PathLike[str]) -> str:
        return os.path.join(folder, self.name)

    def read(self, folder: str | os.PathLike[str]) -> T | None:
        """Return the value, or None if there is none in this format."""
        return self.read_file(self.path(folder))

    def read_file(self, path: str | os.PathLike[str]) -> T | None:
        """Return the value in a file of any name."""
        value: Any = read_sealed(path)
        if self.format is None:
            return value  # type: ignore[no-any-return]
        fits = isinstance(value, dict) and value.pop("format", None) == self.format
        return value if fits else None

    def write(self, folder: str | os.PathLike[str], value: T) -> bool:
        """Replace the record if it changed. Return whether it did."""
        return self.write_file(self.path(folder), value)

    def write_file(self, path: str | os.PathLike[str], value: T) -> bool:
        """Write the value to a file of any name."""
        if self.format is None:
            return write_sealed(path, value)
        return write_sealed(path, {"format": self.format, **value})  # type: ignore[dict-item]

    def delete(self, folder: str | os.PathLike[str]) -> None:
        """Forget the value."""
        from contextlib import suppress

        with suppress(FileNotFoundError):
            os.unlink(self.path(folder))


class ReadableRecord(Record[T]):
    """A record for people, CMake and other tools to read: indented, without a checksum."""

    def read_file(self, path: str | os.PathLike[str]) -> T | None:
        import json

        try:
            with open(path, "rb") as file:
                value: T = json.loads(file.read())
        except (OSError, ValueError):
            return None
        return value

    def write_file(self, path: str | os.PathLike[str], value: T) -> bool:
        import json

        from .atomic import write_if_changed

        return write_if_changed(path, json.dumps(value, indent=1).encode())
