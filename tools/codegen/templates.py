"""Templates: files of C++ with `${name}` holes, cut into sections by `//@section name` lines.

A whole-line `// comment` documents the template and is not copied to generated files, so editing it
rebuilds nothing. A line `/// comment`, or a comment with a hole, is copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_SECTION = re.compile(r"^//@section (\w+)\n", re.MULTILINE)
_HOLE = re.compile(r"^( *)\$\{(\w+)\}\n|\$\{(\w+)\}", re.MULTILINE)

_OWN_COMMENT = re.compile(r"^[ \t]*//(?![/@])(?!.*\$\{).*\n", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
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
        """Return the text with every hole filled.

        A hole alone on its line is replaced by indented lines, or removed if its value is empty.
        """
        filled: list[str] = []
        for part in self._parts:
            if isinstance(part, str):
                filled.append(part)
            elif part.whole_line:
                filled.append(_indent(values[part.name], part.indent))
            else:
                filled.append(values[part.name])
        return "".join(filled)


def _indent(text: str, indent: str) -> str:
    if not text:
        return ""
    if not indent:
        return text if text.endswith("\n") else text + "\n"
    ended = text if text.endswith("\n") else text + "\n"
    return _FILLED_LINE.sub(indent, ended) if "\n" in ended[:-1] else indent + ended


class Templates:
    """Template files by name, each read once with `read`."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self._files: dict[str, Mapping[str, Template]] = {}

    def section(self, file: str, name: str = "file") -> Template:
        """Return a section of a file; text before the first mark is the section `file`."""
        if file not in self._files:
            self._files[file] = _sections(file, self._read(file))
        return self._files[file][name]


def _sections(file: str, text: str) -> dict[str, Template]:
    """Split a template into sections; drop its own comments and repeated blank lines from C++."""
    if not file.endswith(".in"):
        text = _BLANK_LINES.sub("\n\n", _OWN_COMMENT.sub("", text))
    pieces = _SECTION.split(text)
    named = {"file": pieces[0]} if pieces[0].strip() else {}
    named.update(zip(pieces[1::2], pieces[2::2], strict=True))
    return {name: Template(f"{file}:{name}", body) for name, body in named.items()}
