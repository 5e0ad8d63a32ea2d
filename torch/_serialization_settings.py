"""Settings of torch.save and torch.load, and what can be asked of a file without loading it."""

from __future__ import annotations

import contextlib
import mmap
import pickletools
import threading
import zipfile
from collections.abc import Iterator
from enum import Enum
from typing import Any


class LoadEndianness(Enum):
    """The byte order of files that do not record one.

    Example:
        >>> torch.serialization.LoadEndianness.LITTLE.value
        2
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_compute_crc32 = True
_endianness: LoadEndianness | None = None
_mmap_flags = mmap.MAP_PRIVATE
mmap_by_default = False
"""Whether `torch.load` maps files if its argument does not say."""
skipping = threading.local()
"""Has an attribute `on` while the thread is inside `skip_data`."""


def get_crc32_options() -> bool:
    """Return whether files get checksums. The zip format demands them, so they always do.

    Example:
        >>> torch.serialization.get_crc32_options()
        True
    """
    return _compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Set what `get_crc32_options` returns; files have checksums in any case.

    Example:
        >>> torch.serialization.set_crc32_options(True)
    """
    global _compute_crc32
    _compute_crc32 = compute_crc32


def get_default_load_endianness() -> LoadEndianness | None:
    """Return the byte order of files that do not record one; None means the machine's.

    Example:
        >>> torch.serialization.get_default_load_endianness()
    """
    return _endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order of files that do not record one.

    Raises:
        TypeError: If `endianness` is neither a LoadEndianness nor None.

    Example:
        >>> torch.serialization.set_default_load_endianness(None)
    """
    global _endianness
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _endianness = endianness


def get_default_mmap_options() -> int:
    """Return the flags with which `torch.load(mmap=True)` maps files.

    Example:
        >>> import mmap
        >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
        True
    """
    return _mmap_flags


class set_default_mmap_options:
    """Function and context manager that sets the flags with which files are mapped.

    Args:
        flags: mmap.MAP_PRIVATE, or mmap.MAP_SHARED: writes to tensors then change the file.

    Raises:
        ValueError: For other flags.

    Example:
        >>> import mmap
        >>> with torch.serialization.set_default_mmap_options(mmap.MAP_PRIVATE):
        ...     pass
    """

    def __init__(self, flags: int) -> None:
        global _mmap_flags
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE "
                f"or mmap.MAP_SHARED, but got {flags}"
            )
        self._before, _mmap_flags = _mmap_flags, flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        global _mmap_flags
        _mmap_flags = self._before


@contextlib.contextmanager
def skip_data(materialize_fake_tensors: bool = False) -> Iterator[None]:
    """Context manager in which this thread writes zeros instead of storages, and does not read them.

    Args:
        materialize_fake_tensors: Accepted for compatibility.

    Example:
        >>> with torch.serialization.skip_data():
        ...     torch.save(torch.ones(2), "skeleton.pt")
        >>> torch.load("skeleton.pt")
        tensor([0., 0.])
    """
    before = getattr(skipping, "on", False)
    skipping.on = True
    try:
        yield
    finally:
        skipping.on = before


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[int, ...], error_if_malformed: bool = True
) -> bool:
    """Return whether a module's `__version__` is at least a tuple of numbers.

    Raises:
        RuntimeError: If the version cannot be read and `error_if_malformed` is true.

    Example:
        >>> torch.serialization.check_module_version_greater_or_equal(torch, (1, 2))
        True
    """
    try:
        version = tuple(
            kind(part)
            for kind, part in zip(
                map(type, req_version_tuple), module.__version__.split("."), strict=False
            )
        )
    except Exception as error:
        if error_if_malformed:
            raise RuntimeError(
                f"'{module.__name__}' module version string is malformed '{module.__version__}' and "
                f"cannot be compared with tuple {req_version_tuple}"
            ) from error
        return True
    return version >= req_version_tuple


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Return the names in a file that a weights-only load would refuse, without running its code.

    Args:
        f: A path, or a binary file, of what torch.save wrote.

    Example:
        >>> from fractions import Fraction
        >>> torch.save(Fraction(1, 2), "half.pt")
        >>> torch.serialization.get_unsafe_globals_in_checkpoint("half.pt")
        ['fractions.Fraction']
    """
    from torch._unpickler import allowed_globals, python_name

    with zipfile.ZipFile(f) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/data.pkl"))
        data = archive.read(name)
    allowed = allowed_globals()
    found = dict.fromkeys(_globals_of(data))
    names = {".".join(pair): ".".join(python_name(*pair)) for pair in found}
    return [full for name, full in names.items() if name not in allowed and full not in allowed]


def _globals_of(data: bytes) -> Iterator[tuple[str, str]]:
    strings: list[str] = []
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name in ("GLOBAL", "INST"):
            module, name = argument.split(" ", 1)
            yield module, name
        elif opcode.name == "STACK_GLOBAL":
            yield strings[-2], strings[-1]
        elif isinstance(argument, str):
            strings.append(argument)
