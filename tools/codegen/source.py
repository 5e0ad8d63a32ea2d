"""Decodes input files and rejects characters that an editor would not show."""

from __future__ import annotations

import re
from pathlib import Path

from tools.codegen.errors import Problem

# Control characters, line breaks that only YAML recognises, and marks that reorder text.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def read_text(path: Path, name: str, problems: list[Problem]) -> str:
    """Return the file's text; messages refer to the file as `name`."""
    try:
        return decode(path.read_bytes(), name, problems)
    except OSError as error:
        problems.append(Problem(name, 1, 1, f"cannot read the file: {error.strerror}"))
        return ""


def decode(data: bytes, name: str, problems: list[Problem]) -> str:
    """Decode UTF-8 text and normalise line ends; invalid bytes are reported and replaced."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        problems.append(Problem(name, line, column, f"invalid UTF-8: {error.reason}"))
        return data.decode(errors="replace")
    if _HIDDEN.search(text):
        for number, content in enumerate(text.split("\n"), 1):
            for match in _HIDDEN.finditer(content):
                message = f"the character U+{ord(match[0]):04X} is invisible in an editor"
                problems.append(Problem(name, number, match.start() + 1, message))
    return text
