"""The parts of an explanation: places in files, grouped into steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

NOT_GENERATED = "not generated yet; run python setup.py codegen"


@dataclass(frozen=True)
class Place:
    """A line of a file, and the word on it that matters."""

    path: str
    line: int
    word: str
    note: str = ""

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Step:
    """One step of the path: what happens, and where it is written."""

    title: str
    places: tuple[Place, ...] = ()
    remark: str = ""
    """A remark, in addition to the places or instead of them."""

    def lines(self, number: int) -> Iterator[str]:
        yield f"{number:>2}. {self.title}" + (f": {self.remark}" if self.remark else "")
        width = max((len(place.where) for place in self.places), default=0)
        for place in self.places:
            note = f"  {place.note}" if place.note else ""
            yield f"      {place.where:<{width}}  {place.word}{note}"


@dataclass(frozen=True)
class TextFile:
    """One file; messages refer to it as `name`."""

    name: str
    text: str = field(repr=False)

    @staticmethod
    def read(path: Path, root: Path) -> TextFile:
        """Read a file; its name is relative to `root`, or absolute outside of it."""
        name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
        return TextFile(name, path.read_text(encoding="utf-8", errors="replace"))

    def place(self, offset: int, word: str, note: str = "") -> Place:
        """Return the line at `offset`."""
        return Place(self.name, self.text.count("\n", 0, offset) + 1, word, note)

    def line(self, number: int) -> str:
        """Return the text of one line, counting from 1; empty past the end."""
        lines = self.text.split("\n")
        return lines[number - 1] if 1 <= number <= len(lines) else ""

    def find(self, pattern: str, word: str, note: str = "") -> Iterator[Place]:
        """Find matches of the pattern; each place is that of the group `at`, or of the match."""
        for match in re.finditer(pattern, self.text, re.MULTILINE):
            at = match.start("at") if "at" in match.re.groupindex else match.start()
            yield self.place(at, word, note)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier in the file. A name that is not among them need not be searched for."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", self.text))


def render(heading: str, steps: Iterable[Step]) -> str:
    """Format the whole explanation."""
    blocks = ["\n".join(step.lines(number)) for number, step in enumerate(steps, 1)]
    return "\n\n".join([heading, *blocks])
