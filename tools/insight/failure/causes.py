"""Read the table of causes and match it against the output of a failed command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomllib

from tools.setup_helpers.ninja.failures import Remedy

TABLE = Path(__file__).with_name("causes.toml")
# Warning lines, CMake's status lines, and whole CMake warnings.
_HARMLESS = re.compile(
    r"^.*\b(?:warning|note|remark)(?: #[\w-]+)? *: .*$"
    r"|^-- (?!  ).*$"
    r"|^CMake (?:\w+ )?Warning.*(?:\n(?:  .*)?)*",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Cause:
    """One row of causes.toml; the comment at the top of that file describes the keys."""

    id: str
    cause: str
    hint: str
    patterns: tuple[re.Pattern[str], ...] = ()
    exit_codes: tuple[int, ...] = ()
    when_silent: bool = False
    when_full: bool = False
    ask: str = ""
    otherwise: str = ""
    remedy: Remedy = Remedy.NONE


@dataclass(frozen=True)
class Match:
    """A matching row and the named groups that its pattern captured."""

    cause: Cause
    words: Mapping[str, str]


@cache
def read_causes(table: Path = TABLE) -> tuple[Cause, ...]:
    """Return the rows in the order in which they are tried."""
    rows = tomllib.loads(table.read_text(encoding="utf-8"))["cause"]
    return tuple(_row(row) for row in rows)


def _row(row: dict[str, object]) -> Cause:
    patterns, codes = row.pop("patterns", []), row.pop("exit_codes", [])
    assert isinstance(patterns, list) and isinstance(codes, list)
    return Cause(
        patterns=tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns),
        exit_codes=tuple(codes),
        remedy=Remedy(row.pop("remedy", "")),
        **row,  # type: ignore[arg-type]
    )


def find_cause(
    text: str, *, exit_code: int | None = None, silent: bool = False, full: bool = False
) -> Match | None:
    """Return the first row that matches a command's output, its exit code, its silence or a `full` disk.

    Warnings are ignored, since they did not make the command fail.
    """
    text = _HARMLESS.sub("", text)
    for row in read_causes():
        for pattern in row.patterns:
            if match := pattern.search(text):
                return Match(row, {k: v for k, v in match.groupdict().items() if v})
        by_signs = (silent and row.when_silent) or (full and row.when_full)
        if exit_code in row.exit_codes or by_signs:
            return Match(row, {})
    return None
