"""Signatures of the legacy kernels, read from the header that declares them.

The build's generator (tools/nnwrap) loads this file too, so it uses only the standard library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

THNN_H_PATH = str(Path(__file__).absolute().parents[1] / "include/THNN/generic/THNN.h")

_DECLARATION = re.compile(r"^TH_API void THNN_\((\w+)\)\(\n((?:.*,.*\n)*.*\);.*)$", re.MULTILINE)
_BEGINNING = re.compile(r"^TH_API\b", re.MULTILINE)
_ARGUMENT = re.compile(r"^\s*(\w+\*?)\s+(\w+)(?:,|\);)\s*(?://\s*(.*))?$")


class HeaderError(ValueError):
    """A declaration that cannot be read; `line` is its line in the header, counted from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Argument:
    """One argument: its C type, such as `THTensor*`, and what the comment after it says."""

    type: str
    name: str
    is_optional: bool
    is_output: bool
    line: int
    """Its line in the header, counted from 1."""


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
        HeaderError: If a declaration cannot be read. Each argument stands on a line of its own.
    """
    text = Path(path).read_text(encoding="utf-8")
    functions = []
    for beginning in _BEGINNING.finditer(text):
        line = text.count("\n", 0, beginning.start()) + 1
        match = _DECLARATION.match(text, beginning.start())
        if match is None:
            raise HeaderError(
                "a kernel is declared as `TH_API void THNN_(name)(`, its arguments below", line
            )
        rows = match[2].split("\n")
        arguments = [_argument(row, line + number) for number, row in enumerate(rows, 1)]
        functions.append(Function(match[1], tuple(arguments)))
    return functions


def _argument(row: str, line: int) -> Argument:
    match = _ARGUMENT.match(row)
    if match is None:
        raise HeaderError(f"cannot read the argument {row.strip()!r}", line)
    note = match[3] or ""
    return Argument(match[1], match[2], "[OPTIONAL]" in note, "[OUT]" in note, line)
