"""Searches formatted C++ files for definitions, by text and without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tools.drivers.explain.place import Place, TextFile

_MACRO = re.compile(r"^#define (\w+)\(([\w, ]*)\)((?:[^\n]*\\\n)*[^\n]*\n)", re.MULTILINE)
_VALUE = re.compile(r"^#define (\w+) ((?:[^\n]*\\\n)*[^\n]*)\n", re.MULTILINE)
_OPENING = re.compile(r"\s*(?:const\s*)?(?:noexcept\s*)?\{")
_PAIRS = {"(": ")", "{": "}"}


@dataclass(frozen=True)
class Definition:
    """A function's definition: its place, its parameters and its body as text."""

    place: Place
    parameters: str
    body: str


@dataclass(frozen=True)
class _Piece:
    """The text of a file, or the expansion of one macro use in it."""

    file: TextFile
    text: str
    use: re.Match[str] | None = None

    def place(self, offset: int, word: str) -> Place:
        if self.use is None:
            return self.file.place(offset, word)
        return self.file.place(self.use.start(), self.use[0])


class CppSources:
    """The files to search for definitions."""

    def __init__(self, files: Sequence[TextFile]) -> None:
        self._files = files

    def definitions(self, name: str) -> list[Definition]:
        """Return the functions of that name at namespace scope."""
        pattern = rf"^(?![ #/}}])[^\n;=(]*?(?<![\w.>~])(?P<at>{re.escape(name)})(?P<open>\()"
        return list(self._find_definitions(pattern, name))

    def marked(self, macro: str, *arguments: str) -> list[Definition]:
        """Return the functions that begin with `MACRO(arguments)`, such as TORCH_IMPL_FUNC(add)."""
        inside = r"\s*,\s*".join(map(re.escape, arguments))
        return list(
            self._find_definitions(
                rf"^\s*(?P<at>{macro})\(\s*{inside}\s*\)\s*(?P<open>\()", arguments[0]
            )
        )

    def uses(self, macro: str, argument: str) -> Iterator[tuple[Place, str]]:
        """Find statements `MACRO(argument, rest)`; yield the place and the rest."""
        statement = rf"^\s*(?P<at>{macro})\(\s*{re.escape(argument)}\s*(?:,(?P<rest>[^;]*?))?\);?$"
        for piece in self._pieces(argument):
            for match in re.finditer(statement, piece.text, re.MULTILINE):
                yield piece.place(match.start("at"), argument), (match["rest"] or "").strip()

    def _find_definitions(self, pattern: str, word: str) -> Iterator[Definition]:
        for piece in self._pieces(word):
            for match in re.finditer(pattern, piece.text, re.MULTILINE):
                close = _closing_bracket(piece.text, match.start("open"))
                opening = _OPENING.match(piece.text, close + 1)
                if opening is not None:
                    start = opening.end() - 1
                    shown = piece.text[match.start("at") : match.start("open")].strip()
                    yield Definition(
                        piece.place(match.start("at"), shown),
                        _substitute_values(piece.file, piece.text[match.start("open") + 1 : close]),
                        piece.text[start : _closing_bracket(piece.text, start) + 1],
                    )

    def _pieces(self, word: str) -> Iterator[_Piece]:
        for file in self._files:
            if word in file.words:
                yield _Piece(file, file.text)
        for piece in self._expansions:
            if re.search(rf"\b{re.escape(word)}\b", piece.text):
                yield piece

    @cached_property
    def _expansions(self) -> list[_Piece]:
        return [piece for file in self._files for piece in _expand_macros(file)]


def _expand_macros(file: TextFile) -> Iterator[_Piece]:
    """Expand the file's own macros where they are used at the start of a line."""
    for macro in _MACRO.finditer(file.text):
        parameters = [name.strip() for name in macro[2].split(",")]
        body = macro[3].replace("\\\n", "\n")
        for use in re.finditer(rf"^{macro[1]}\(([^()]*)\)", file.text, re.MULTILINE):
            arguments = [text.strip() for text in use[1].split(",")]
            if len(arguments) == len(parameters):
                text = body
                for name, value in zip(parameters, arguments, strict=True):
                    text = re.sub(rf"\b{name}\b", value, text)
                yield _Piece(
                    file, re.sub(r"^\s+|\s*##\s*|[ ]+$", "", text, flags=re.MULTILINE), use
                )


def _substitute_values(file: TextFile, text: str) -> str:
    """Replace the file's macros without parameters by their values."""
    for macro in _VALUE.finditer(file.text):
        if macro[1] in text:
            text = re.sub(rf"\b{macro[1]}\b", macro[2].replace("\\\n", " "), text)
    return text


def _closing_bracket(text: str, at: int) -> int:
    """Return the index of the bracket that closes the one at `at`; strings are treated as code."""
    opening, closing = text[at], _PAIRS[text[at]]
    depth = 0
    for match in re.compile(rf"[{re.escape(opening + closing)}]").finditer(text, at):
        depth += 1 if match[0] == opening else -1
        if depth == 0:
            return match.start()
    return len(text) - 1
