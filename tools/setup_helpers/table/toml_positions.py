"""Find the position of a key in a TOML file, to point at an error.

tomllib reports no positions, so this indexes headers and keys line by line, and skips multi-line values
by counting brackets and quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_HEADER = re.compile(r"^(\s*)(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(
    r"""^(\s*)((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"))*)\s*=\s*"""
)


@dataclass(frozen=True)
class Position:
    """The 1-based position of a key and its value."""

    line: int
    column: int
    value_column: int


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(
        p.strip().strip("\"'") for p in re.findall(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""", dotted)
    )


def _open_after(text: str, depth: int, quote: str) -> tuple[int, str]:
    """Return the bracket depth and the open triple quote after one line of a value."""
    i = 0
    while i < len(text):
        if quote:
            end = text.find(quote, i)
            if end < 0:
                return depth, quote
            i, quote = end + 3, ""
            continue
        if text.startswith(('"""', "'''"), i):
            quote, i = text[i : i + 3], i + 3
            continue
        c = text[i]
        if c in "\"'":
            i += 1
            while i < len(text) and text[i] != c:
                i += 2 if c == '"' and text[i] == "\\" else 1
        elif c in "[{":
            depth += 1
        elif c in "]}":
            depth -= 1
        elif c == "#":
            break
        i += 1
    return depth, quote


class TomlPositions:
    """Positions by path: `("options", "USE_X", "default")`, `("stage", 2, "inputs")`."""

    def __init__(self, text: str) -> None:
        self._found: dict[Path, Position] = {}
        self._counts: dict[Path, int] = {}
        prefix: Path = ()
        depth, quote = 0, ""
        for number, line in enumerate(text.splitlines(), 1):
            if depth > 0 or quote:
                depth, quote = _open_after(line, depth, quote)
                continue
            if header := _HEADER.match(line):
                column = len(header[1]) + 1
                prefix = self._enter(_parts(header[3]), array=header[2] == "[[")
                self._found.setdefault(prefix, Position(number, column, column))
            elif key := _KEY.match(line):
                path = (*prefix, *_parts(key[2]))
                self._found.setdefault(path, Position(number, len(key[1]) + 1, key.end() + 1))
                depth, quote = _open_after(line[key.end() :], 0, "")

    def _enter(self, parts: tuple[str, ...], array: bool) -> Path:
        path: Path = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            last = index == len(parts) - 1
            if last and array:
                count = self._counts.get(path, 0)
                self._counts[path] = count + 1
                path = (*path, count)
            elif path in self._counts:
                path = (*path, self._counts[path] - 1)
        return path

    def find(self, path: Path) -> Position:
        """Return the position of a key, or of the nearest enclosing table."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._found:
                return self._found[path[:length]]
        return Position(1, 1, 1)
