"""Recognise a build directory by the records in it."""

from __future__ import annotations

from pathlib import Path

# The first record of each command of the front end, and CMake's own.
_RECORDS = ("options.json", "CMakeCache.txt", "build.lock", "codegen.json")


def is_build_directory(folder: Path) -> bool:
    """Whether the folder holds at least one such record."""
    return any((folder / name).exists() for name in _RECORDS)
