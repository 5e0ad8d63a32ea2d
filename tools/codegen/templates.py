"""Templates: files of C++ with `${name}` holes, cut into sections by `//@section name` lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_SECTION = re.compile(r"^//@section (\w+)\n", re.MULTILINE)
_HOLE = re.compile(r"^( *)\$\{(\w+)\}\n|\$\{(\w+)\}", re.MULTILINE)

_FILLED_LINE = re.compile(r"^(?=.*\S)", re.MULTILINE)


@dataclass(frozen=True)
class _Hole:
    name: str
    indent: str = ""
    whole_line: bool = False


class Template:
    """One section, cut at its holes."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._parts: list[str | _Hole] = []
        end = 0
        for match in _HOLE.finditer(text):
            self._parts.append(text[end : match.start()])
            whole_line = match[2] is not None
            hole = _Hole(match[2], match[1], True) if whole_line else _Hole(match[3])
            self._parts.append(hole)
            end = match.end()
        self._parts.append(text[end:])

    def fill(self, **values: str) -> str:
        """The text with every hole filled. A hole alone on its line takes lines, indented, or none."""
        filled: list[str] = []
        for part in self._parts:
            if isinstance(part, str):
                filled.append(part)
            elif part.whole_line:
                filled.append(_indented(values[part.name], part.indent))
            else:
                filled.append(values[part.name])
        return "".join(filled)


def _indented(text: str, indent: str) -> str:
    if not text:
        return ""
    if not indent:
        return text if text.endswith("\n") else text + "\n"
    ended = text if text.endswith("\n") else text + "\n"
    return _FILLED_LINE.sub(indent, ended) if "\n" in ended[:-1] else indent + ended


class Templates:
    """Template files by name, read once; `read` gives the text of one."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self._files: dict[str, Mapping[str, Template]] = {}

    def section(self, file: str, name: str = "file") -> Template:
        """One section of a file; text before the first mark is the section `file`."""
        if file not in self._files:
            self._files[file] = _sections(file, self._read(file))
        return self._files[file][name]


def _sections(file: str, text: str) -> dict[str, Template]:
    pieces = _SECTION.split(text)
    named = {"file": pieces[0]} if pieces[0].strip() else {}
    named.update(zip(pieces[1::2], pieces[2::2], strict=True))
    return {name: Template(f"{file}:{name}", body) for name, body in named.items()}
