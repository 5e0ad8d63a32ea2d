"""Problems in the generator's inputs, which are collected and then shown together.

A Problem names the file, the position and the offending text; `render` underlines that text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from tools.base.errors import nearest

_LONGEST_MESSAGE = 600


@dataclass(frozen=True, order=True)
class Problem:
    """One mistake in one input file; line and column count from 1.

    `offset` continues from there, in characters of the text as YAML reads it. InputError resolves
    it to a position within a text that is quoted or spans several lines.
    """

    file: str
    line: int
    column: int
    message: str
    length: int = 1
    offset: int = 0


class SchemaError(Exception):
    """A text that is not in the schema language; `offset` and `length` locate the offending part.

    `others` are further mistakes in the same text.
    """

    def __init__(
        self,
        message: str,
        offset: int = 0,
        length: int = 1,
        others: tuple[SchemaError, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = length
        self.others = others

    def moved(self, by: int) -> SchemaError:
        """Return the same mistake in a text that has `by` characters before this one."""
        return SchemaError(self.message, self.offset + by, self.length)


class InputError(Exception):
    """All problems in the inputs; nothing has been written."""

    def __init__(self, problems: Iterable[Problem], sources: Mapping[str, str]) -> None:
        self.sources = dict(sources)
        lines = {file: text.split("\n") for file, text in self.sources.items()}
        placed = {_resolve(problem, lines.get(problem.file)) for problem in problems}
        self.problems = tuple(sorted(placed))
        super().__init__(render(self.problems, self.sources))


def suggest(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "x"?)` for the nearest known word, or an empty string."""
    limit = max(1, min(3, len(word) // 3))
    letters = _letters(word)
    known = tuple(known)
    possible = [
        candidate
        for candidate in known
        if abs(len(candidate) - len(word)) <= limit
        and (_letters(candidate) ^ letters).bit_count() <= 2 * limit
    ]
    longer = (k for k in known if len(word) > 2 and k.startswith(word))
    near = nearest(word, possible, limit) or min(longer, key=len, default="")
    return f' (did you mean "{near}"?)' if near else ""


@cache
def _letters(word: str) -> int:
    """Return the set of the word's letters as bits; one edit changes at most two of them."""
    found = 0
    for letter in word.casefold():
        found |= 1 << (ord(letter) & 127)
    return found


def render(problems: Iterable[Problem], sources: Mapping[str, str]) -> str:
    """Format the problems as `file:line:column: message`, each with its line underlined."""
    lines_of = {file: text.split("\n") for file, text in sources.items()}
    shown: list[str] = []
    for problem in problems:
        message = _printable(problem.message)
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[: _LONGEST_MESSAGE - 100]} ... {message[-90:]}"
        shown.append(f"{problem.file}:{problem.line}:{problem.column}: {message}")
        lines = lines_of.get(problem.file, [])
        if 1 <= problem.line <= len(lines):
            shown.extend(_underline(lines[problem.line - 1], problem.column, problem.length))
    return "\n".join(shown)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _underline(line: str, column: int, length: int, width: int = 100) -> list[str]:
    start = max(0, min(column - 1, len(line)))
    shift = max(0, start - width // 2) if len(line) > width else 0
    visible = _printable(line[shift : shift + width])
    marks = max(1, min(length, len(visible) - (start - shift)))
    return [f"    {visible}", "    " + " " * (start - shift) + "^" + "~" * (marks - 1)]


def _resolve(problem: Problem, lines: list[str] | None) -> Problem:
    """Resolve the problem's `offset` to a line and column in the file."""
    if lines is None:
        return replace(problem, offset=0)
    line = max(1, min(problem.line, len(lines)))
    column = problem.column if line == problem.line else 1
    if problem.offset:
        line, column = _advance(lines, line, column, problem.offset)
    column = max(1, min(column, len(lines[line - 1]) + 1))
    return replace(problem, line=line, column=column, offset=0)


def _advance(lines: list[str], line: int, column: int, offset: int) -> tuple[int, int]:
    """Return the position `offset` characters on; a line break and indentation count as one."""
    text = lines[line - 1]
    if text[column - 1 :].rstrip() in (
        "|",
        ">",
        "|-",
        ">-",
        "|+",
        ">+",
    ):  # the text starts on the next line
        text, line = lines[line] if line < len(lines) else "", line + 1
        column = len(text) - len(text.lstrip()) + 1
    while line < len(lines) and column - 1 + offset >= len(text.rstrip()) + 1:
        offset -= max(0, len(text.rstrip()) + 1 - (column - 1))
        text, line = lines[line], line + 1
        column = len(text) - len(text.lstrip()) + 1
    return line, column + offset
