"""Inserts tables of benchmarks into documents."""

from __future__ import annotations

import re


def _place_of(name: str) -> re.Pattern[str]:
    """Match the text between a table's two markers, which stay."""
    return re.compile(f"(?<=<!-- {name}: begin -->\n).*?(?=\n<!-- {name}: end -->)", re.DOTALL)


def marks_missing(document: str, names: list[str]) -> list[str]:
    """Return the tables that have no place in the document."""
    return [name for name in names if not _place_of(name).search(document)]


def put_table(document: str, name: str, table: str) -> str:
    """Return the document with the table in its place."""
    return _place_of(name).sub(lambda _: table, document)
