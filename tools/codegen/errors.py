"""Problems in the generator's inputs: collected, then shown together.

A Problem names the file, the place and the offending text; `render` underlines it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One mistake in one input file; line and column count from 1."""

    file: str
    line: int
    column: int
    message: str
    length: int = 1


class SchemaError(Exception):
    """A text that is not in the schema language; `offset` and `length` locate the part at fault."""

    def __init__(self, message: str, offset: int = 0, length: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = length


class InputError(Exception):
    """Everything that is wrong with the inputs; nothing has been written."""

    def __init__(self, problems: Iterable[Problem], sources: Mapping[str, str]) -> None:
        self.problems = tuple(sorted(set(problems)))
        self.sources = dict(sources)
        super().__init__(render(self.problems, self.sources))


def suggest(word: str, known: Iterable[str]) -> str:
    """` (did you mean "x"?)` for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f' (did you mean "{near[0]}"?)' if near else ""


def render(problems: Iterable[Problem], sources: Mapping[str, str]) -> str:
    """The problems as `file:line:column: message`, each with its line underlined."""
    lines_of = {file: text.splitlines() for file, text in sources.items()}
    shown: list[str] = []
    for problem in problems:
        shown.append(f"{problem.file}:{problem.line}:{problem.column}: {problem.message}")
        lines = lines_of.get(problem.file, [])
        if 1 <= problem.line <= len(lines):
            shown.extend(_underlined(lines[problem.line - 1], problem.column, problem.length))
    return "\n".join(shown)


def _underlined(line: str, column: int, length: int, width: int = 100) -> list[str]:
    line = "".join(char if char.isprintable() else " " for char in line)
    start = max(0, min(column - 1, len(line)))
    shift = max(0, start - width // 2) if len(line) > width else 0
    visible = line[shift : shift + width]
    marks = max(1, min(length, len(visible) - (start - shift)))
    return [f"    {visible}", "    " + " " * (start - shift) + "^" + "~" * (marks - 1)]
