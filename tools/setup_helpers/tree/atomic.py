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


def write_new(path: str | os.PathLike[str], data: bytes) -> bool:
    """As write_if_changed, with half the calls for a file that is not there.

    It is written in its own place: for files that nobody believes in before they are recorded.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return write_if_changed(path, data)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path))
        return write_new(path, data)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(file)
    return True
