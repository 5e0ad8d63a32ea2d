"""The tables of docs/reliability.md, each between a line with the command that writes it and an end mark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .fixture_project import ROOT

PAGE = ROOT / "docs" / "reliability.md"
END = "<!-- end -->"


@dataclass(frozen=True)
class PageTable:
    """A table whose rows start with a name."""

    made_by: str
    """The command that writes it."""
    head: str

    def rows(self) -> dict[str, list[str]]:
        """Return the other cells of each row by its name."""
        lines = self._found()[2].splitlines()[len(self.head.splitlines()) :]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        return {name: rest for name, *rest in cells}

    def fill(self, rows: Mapping[str, str], order: Iterable[str]) -> None:
        """Replace these rows and keep existing ones, in the order given by `order`."""
        text = PAGE.read_text(encoding="utf-8")
        known = {line.strip("|").split("|")[0].strip(): line for line in self._lines()}
        lines = {**known, **rows}
        table = "\n".join([self.head, *(lines[name] for name in order if name in lines), ""])
        start, _, old = self._found()
        PAGE.write_text(text.replace(start + old + END, start + table + END), encoding="utf-8")

    def _lines(self) -> Iterator[str]:
        yield from self._found()[2].splitlines()[len(self.head.splitlines()) :]

    def _found(self) -> tuple[str, str, str]:
        start = f"<!-- made by: {self.made_by} -->\n"
        text = PAGE.read_text(encoding="utf-8")
        found = re.search(f"({re.escape(start)})(.*?){re.escape(END)}", text, re.DOTALL)
        assert found, f"{Path(PAGE).name} has no table that is made by {self.made_by}"
        return found[1], found[0], found[2]
