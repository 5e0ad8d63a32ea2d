"""Find the package that provides a header, library, program or symbol: the rows of packages.toml."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import tomllib

TABLE = Path(__file__).with_name("packages.toml")


@cache
def _rows(kind: str) -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads(TABLE.read_text(encoding="utf-8"))[kind])


def _row(kind: str, name: str) -> dict[str, Any] | None:
    return next((r for r in _rows(kind) if re.fullmatch(r["names"], name)), None)


def install_command(kind: str, name: str) -> str:
    """Return how to install a `header`, `library` or `program`; empty when no row matches."""
    row = _row(kind, name)
    if row is None:
        return ""
    ways = []
    if "pip" in row:
        ways.append(f"pip install {row['pip']}")
    if "debian" in row:
        ways.append(f"apt-get install {row['debian']}")
    note = f" ({row['note']})" if "note" in row else ""
    return " or ".join(f"`{way}`" for way in ways) + note


def link_argument(symbol: str) -> str:
    """Return what to link for a symbol of the system; empty when no row matches."""
    row = _row("symbol", symbol)
    return str(row["link"]) if row else ""
