"""Signatures of the legacy kernels, read from the header that declares them.

The build's generator (tools/nnwrap) loads this file too, so it uses only the standard library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

THNN_H_PATH = str(Path(__file__).absolute().parents[1] / "include/THNN/generic/THNN.h")

_DECLARATION = re.compile(r"^TH_API void THNN_\((\w+)\)\(\n((?:.*,.*\n)*.*\);.*)$", re.MULTILINE)
_ARGUMENT = re.compile(r"^\s*(\w+\*?)\s+(\w+)(?:,|\);)\s*(?://\s*(.*))?$")


@dataclass(frozen=True)
class Argument:
    """One argument: its C type, such as `THTensor*`, and what the comment after it says."""

    type: str
    name: str
    is_optional: bool
    is_output: bool


@dataclass(frozen=True)
class Function:
    """A kernel, such as `Abs_updateOutput`; the first argument is the library's state."""

    name: str
    arguments: tuple[Argument, ...]


def parse_header(path: str) -> list[Function]:
    """Return the kernels that a header such as THNN.h declares, in its order.

    Args:
        path: The header.

    Returns:
        One entry for each declaration.

    Raises:
        ValueError: If an argument does not stand on a line of its own.
    """
    functions = []
    for match in _DECLARATION.finditer(Path(path).read_text(encoding="utf-8")):
        functions.append(Function(match[1], tuple(map(_argument, match[2].split("\n")))))
    return functions


def _argument(line: str) -> Argument:
    match = _ARGUMENT.match(line)
    if match is None:
        raise ValueError(f"cannot read the argument {line.strip()!r}")
    note = match[3] or ""
    return Argument(match[1], match[2], "[OPTIONAL]" in note, "[OUT]" in note)
