"""Read a build directory's CMakeCache.txt."""

from __future__ import annotations

from pathlib import Path


def read_cache(build_dir: Path) -> dict[str, str]:
    """Return values by name; empty if nothing is configured."""
    try:
        text = (build_dir / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    values = {}
    for line in text.splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith(("#", "//")):
            values[name.partition(":")[0]] = value
    return values
