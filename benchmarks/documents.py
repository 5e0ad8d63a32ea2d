"""Where a document has its tables, so that a benchmark can put them there."""

from __future__ import annotations

import re


def _place_of(name: str) -> re.Pattern[str]:
    """Where a document has a table: between its two marks, which stay."""
    return re.compile(f"(?<=<!-- {name}: begin -->\n).*?(?=\n<!-- {name}: end -->)", re.DOTALL)


def marks_missing(document: str, names: list[str]) -> list[str]:
    """The tables that the document has no place for."""
    return [name for name in names if not _place_of(name).search(document)]


def put_table(document: str, name: str, table: str) -> str:
    """The document with the table in its place."""
    return _place_of(name).sub(lambda _: table, document)
