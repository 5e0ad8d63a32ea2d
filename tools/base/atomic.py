"""Write files so that neither a reader nor a killed build leaves or sees half of one."""

from __future__ import annotations

import os

_UNFINISHED = ".unfinished.tmp"


def temporary_path(path: str) -> str:
    """Return where to write a file before it is renamed to `path`."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{os.getpid()}{_UNFINISHED}")


def is_temporary(name: str) -> bool:
    """Whether a file has the name of an unfinished write.

    While no build is running, such a file is a leftover.
    """
    return name.startswith(".") and name.endswith(_UNFINISHED)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write to a temporary file in the same folder, which must exist, and rename it to `path`."""
    temporary = temporary_path(os.fspath(path))
    try:
        with open(temporary, "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:  # one call writes at most 2 GiB
                rest = rest[file.write(rest) :]
        os.replace(temporary, path)
    except BaseException as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        _name(error, path)
        raise


def write_if_changed(path: str | os.PathLike[str], data: bytes) -> bool:
    """Write `data` unless the file holds it already, and return whether it was written.

    An unchanged file keeps its mtime.
    """
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
    """Do the same as write_if_changed with half the system calls when the file does not exist.

    A new file is written in place, not atomically. Use this only for files that are not used until
    a record says that they are finished.
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
    except BaseException as error:
        os.unlink(path)
        _name(error, path)
        raise
    finally:
        os.close(file)
    return True


def _name(error: BaseException, path: str | os.PathLike[str]) -> None:
    """Add the file's name to an error that has none, as that of a write to a full disk."""
    if isinstance(error, OSError) and error.filename is None:
        error.filename = os.fspath(path)
