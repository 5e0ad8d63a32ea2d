"""FileCheck: assertions about where texts occur in a longer one, such as a listing of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["FileCheck"]

_PRAGMA = re.compile(r"#\s*CHECK(?P<kind>(?:-[A-Z]+)*)(?P<count>-\d+)?(?P<colon>: ?)?(?P<text>.*)")
_KINDS = (
    *("CHECK", "CHECK-NEXT", "CHECK-SAME", "CHECK-NOT", "CHECK-DAG", "CHECK-REGEX"),
    *("CHECK-COUNT", "CHECK-COUNT-EXACTLY", "CHECK-SOURCE-HIGHLIGHTED"),
)


@dataclass(frozen=True)
class _Check:
    """A text to find, and where."""

    kind: str
    text: str
    count: int = 1

    @property
    def label(self) -> str:
        counted = self.kind.startswith("CHECK-COUNT")
        return f"CHECK-COUNT-{self.count}" if counted else self.kind

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"


@dataclass(frozen=True)
class _Match:
    start: int
    end: int


class FileCheck:
    """Assertions about where texts occur in a longer one; each goes on where the last one ended.

    The methods return the object, so that calls are chained; `run` makes the assertions. They can also be
    comments such as `# CHECK-NOT: relu` in the text that `run` takes as its first argument.

    Example:
        >>> from torch.testing import FileCheck
        >>> code = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1).code
        >>> FileCheck().check("torch.relu").check_not("mul").check_next("+ 1").run(code)
    """

    def __init__(self) -> None:
        self._checks: list[_Check] = []
        self._was_run = False

    def _add(self, kind: str, text: str, count: int = 1) -> FileCheck:
        if not isinstance(text, str):
            raise TypeError(f"FileCheck: expected a str to look for, but got {text!r}")
        self._checks.append(_Check(kind, text, count))
        return self

    def check(self, text: str) -> FileCheck:
        """Require a text after the last match."""
        return self._add("CHECK", text)

    def check_next(self, text: str) -> FileCheck:
        """Require a text on the line after the last match."""
        return self._add("CHECK-NEXT", text)

    def check_same(self, text: str) -> FileCheck:
        """Require a text on the line of the last match."""
        return self._add("CHECK-SAME", text)

    def check_not(self, text: str) -> FileCheck:
        """Require that a text does not occur between the last match and the next."""
        return self._add("CHECK-NOT", text)

    def check_dag(self, text: str) -> FileCheck:
        """Require the texts of consecutive calls of this method after the last match, in any order."""
        return self._add("CHECK-DAG", text)

    def check_regex(self, text: str) -> FileCheck:
        """Require a match of a regular expression after the last match."""
        return self._add("CHECK-REGEX", text)

    def check_source_highlighted(self, text: str) -> FileCheck:
        """Require a text with tildes below it, as errors of compilers show."""
        return self._add("CHECK-SOURCE-HIGHLIGHTED", text)

    def check_count(self, text: str, count: int, exactly: bool = False) -> FileCheck:
        """Require a text `count` times after the last match.

        Args:
            text: The text.
            count: How often it occurs.
            exactly: Whether it must not occur once more before the next match.
        """
        if count == 0 and not exactly:
            raise RuntimeError("FileCheck: a count of 0 means nothing unless exactly=True")
        return self._add("CHECK-COUNT-EXACTLY" if exactly else "CHECK-COUNT", text, count)

    def run(self, checks_file: Any, test_file: Any = None) -> None:
        """Make the assertions.

        Args:
            checks_file: The text (or graph) to search; with `test_file`, a text whose comments are
                the assertions.
            test_file: The text (or graph) to search if the first one has the assertions.

        Raises:
            RuntimeError: If an assertion does not hold, or there are none.
        """
        self._was_run = True
        if test_file is not None:
            self._checks += _parse(checks_file)
        if not self._checks:
            raise RuntimeError("No checks have been added to this instance of FileCheck!")
        _verify(self._checks, _text_of(checks_file if test_file is None else test_file))

    def __str__(self) -> str:
        return "FileCheck checks:\n" + "".join(f"\t{check}\n" for check in self._checks)

    def __del__(self) -> None:
        if not self.__dict__.get("_was_run", True):
            print("You have not run this instance of FileCheck!", str(self), sep="\n", end="")


def _text_of(value: Any) -> str:
    import torch

    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, (str, torch.Graph)):
        raise TypeError(f"FileCheck.run: expected a str or a torch.Graph, but got {type(value)}")
    return str(value)


def _parse(source: str) -> Iterator[_Check]:
    """Yield the assertions in the comments of a text."""
    for line in source.splitlines():
        match = _PRAGMA.search(line)
        if match is None:
            continue
        kind, count = "CHECK" + match["kind"], match["count"]
        counted = kind.startswith("CHECK-COUNT")
        if match["colon"] is None or kind not in _KINDS or counted != bool(count):
            raise RuntimeError(f"Could not parse check at:\n{line.strip()}\nCheck for bad input.")
        yield _Check(kind, match["text"].strip(), int(count[1:]) if count else 1)


def _verify(checks: list[_Check], text: str) -> None:
    last, group = _Match(0, 0), []
    excluded: list[_Check] = []
    for i, check in enumerate(checks):
        if check.kind == "CHECK-NOT":
            excluded.append(check)
            continue
        if check.kind == "CHECK-DAG":
            group.append(check)
            if i + 1 < len(checks) and checks[i + 1].kind == "CHECK-DAG":
                continue
            found = _find_all(group, text, last.end)
            group = []
        else:
            found = _find(check, text, last.end)
        _exclude(excluded, text, last.end, found.start)
        excluded = []
        if check.kind == "CHECK-COUNT-EXACTLY":
            excluded.append(_Check("CHECK-NOT", check.text))
        last = found
    _exclude(excluded, text, last.end, len(text))


def _find_all(checks: list[_Check], text: str, begin: int) -> _Match:
    """Return what matches of all the checks, in any order, span."""
    matches = [_find(check, text, begin) for check in checks]
    return _Match(min(m.start for m in matches), max(m.end for m in matches))


def _find(check: _Check, text: str, begin: int) -> _Match:
    """Return where the text of a check is found, or fail."""
    if check.kind == "CHECK-REGEX":
        match = re.compile(check.text).search(text, begin)
        if match is None:
            _fail(f'Expected to find regex "{check.text}" but did not find it', check, text, begin)
        return _Match(match.start(), match.end())
    if check.kind == "CHECK-SOURCE-HIGHLIGHTED":
        return _find_highlighted(check, text, begin)
    first, end = begin, begin
    for number in range(check.count):
        start = text.find(check.text, end)
        if start < 0:
            _fail(f'Expected to find "{check.text}" but did not find it', check, text, begin)
        first = start if number == 0 else first
        end = start + len(check.text)
    lines = text.count("\n", begin, first)
    if check.kind == "CHECK-SAME" and lines:
        _fail(f'Expected to find "{check.text}" on the line of the last match', check, text, begin)
    if check.kind == "CHECK-NEXT" and lines != 1:
        _fail(f'Expected to find "{check.text}" on the next line', check, text, begin)
    return _Match(first, end)


def _find_highlighted(check: _Check, text: str, begin: int) -> _Match:
    wanted, start = "~" * len(check.text), begin
    while (start := text.find(check.text, start)) >= 0:
        end = start + len(check.text)
        column = start - (text.rfind("\n", 0, start) + 1)
        below = (text[end:].split("\n")[1:2] or [""])[0]
        if below[column : column + len(wanted)] == wanted:
            break
        start = end
    else:
        _fail(f'Expected to find "{check.text}" highlighted but it is not.', check, text, begin)
    return _Match(start, text.index("\n", end) + 1 + len(below))


def _exclude(checks: list[_Check], text: str, begin: int, end: int) -> None:
    for check in checks:
        found = text.find(check.text, begin, end)
        if found >= 0:
            _fail(f'Expected to not find "{check.text}" but found it', check, text, begin, found)


def _fail(message: str, check: _Check, text: str, begin: int, at: int | None = None) -> NoReturn:
    """Raise an error that shows the searched text, with a mark below the position `at`."""
    searched = text[begin:]
    if at is not None:
        line_start, line_end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        mark = " " * (at - line_start) + "~" * len(check.text) + " <--- HERE"
        searched = f"{text[:line_end]}\n{mark}{text[line_end:]}"
    raise RuntimeError(f"{message}\nSearched string:\n{searched}\nFrom {check}\n")
