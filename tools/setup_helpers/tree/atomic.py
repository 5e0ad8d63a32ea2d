"""Writing files so that a reader, or a build that was killed, never sees half of one."""

from __future__ import annotations

import os

_UNFINISHED = ".unfinished.tmp"


def temporary_beside(path: str) -> str:
    """Where a file is written before it is renamed to `path`."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{os.getpid()}{_UNFINISHED}")


def is_temporary(name: str) -> bool:
    """Whether a file of this name was to be renamed; without a build that runs, none will be."""
    return name.startswith(".") and name.endswith(_UNFINISHED)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes beside the file, then renames over it. The folder must exist."""
    temporary = temporary_beside(os.fspath(path))
    try:
        with open(temporary, "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:  # one call writes at most 2 GiB
                rest = rest[file.write(rest) :]
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def write_if_changed(path: str | os.PathLike[str], data: bytes) -> bool:
    """True when the file's bytes were not these; only then its mtime moves."""
    try:
        if os.stat(path).st_size == len(data):
            with open(path, "rb") as file:
                if file.read() == data:
                    return False
    except FileNotFoundError:
        if not os.path.isdir(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path))
    write_atomically(path, data)
    return True
