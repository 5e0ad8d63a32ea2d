"""What an explanation is made of: places in files, gathered into hops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A line of a file, and the word to look for in it."""

    path: str
    line: int
    word: str
    note: str = ""

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Hop:
    """One step of the path: what happens, and where it is written."""

    title: str
    places: tuple[Place, ...] = ()
    remark: str = ""
    """What is to be said without a place, or beside it."""

    def lines(self, number: int) -> Iterator[str]:
        yield f"{number:>2}. {self.title}" + (f": {self.remark}" if self.remark else "")
        width = max((len(place.where) for place in self.places), default=0)
        for place in self.places:
            note = f"  {place.note}" if place.note else ""
            yield f"      {place.where:<{width}}  {place.word}{note}"


@dataclass(frozen=True)
class TextFile:
    """One file; `name` is how messages call it."""

    name: str
    text: str = field(repr=False)

    @staticmethod
    def read(path: Path, root: Path) -> TextFile:
        """The file under its path from `root`, or under its whole path outside it."""
        name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
        return TextFile(name, path.read_text(encoding="utf-8", errors="replace"))

    def place(self, offset: int, word: str, note: str = "") -> Place:
        """The line that holds `offset`."""
        return Place(self.name, self.text.count("\n", 0, offset) + 1, word, note)

    def line(self, number: int) -> str:
        """The text of one line, counting from 1; empty past the end."""
        lines = self.text.split("\n")
        return lines[number - 1] if 1 <= number <= len(lines) else ""

    def find(self, pattern: str, word: str, note: str = "") -> Iterator[Place]:
        """Where the pattern matches; its group `at`, or else its start, is the place."""
        for match in re.finditer(pattern, self.text, re.MULTILINE):
            at = match.start("at") if "at" in match.re.groupindex else match.start()
            yield self.place(at, word, note)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier of the file: what it cannot say, need not be searched for."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", self.text))


def render(heading: str, hops: Iterable[Hop]) -> str:
    """The whole explanation as text."""
    blocks = ["\n".join(hop.lines(number)) for number, hop in enumerate(hops, 1)]
    return "\n\n".join([heading, *blocks])
