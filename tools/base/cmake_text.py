"""Write lists and quoted arguments for CMake, and read the values in CMakeCache.txt."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .store import build_file

CACHE = build_file("CMakeCache.txt")
build_file("cmake_install.cmake")
build_file("compile_commands.json")


def cmake_list(name: str, values: Iterable[str]) -> str:
    """Return a CMake `set(NAME "a" "b")` with one value per line."""
    lines = "".join(f'\n  "{cmake_quote(value)}"' for value in values)
    return f"set({name}{lines})\n"


def cmake_quote(text: str) -> str:
    """Escape text for a quoted CMake argument."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return escaped.replace("\n", "\\n").replace(";", "\\;")


def read_cache(build_dir: Path) -> dict[str, str]:
    """Return values by name; empty if nothing is configured."""
    try:
        text = (build_dir / CACHE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    values = {}
    for line in text.splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith(("#", "//")):
            values[name.partition(":")[0]] = value
    return values
