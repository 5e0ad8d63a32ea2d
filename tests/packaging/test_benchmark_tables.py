"""The tables that op_bench.py puts into docs/benchmarks.md."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def op_tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import op_tables

    return op_tables


def test_the_document_has_a_place_for_every_table(op_tables: ModuleType) -> None:
    document = (ROOT / "docs/benchmarks.md").read_text()
    assert op_tables.marks_missing(document, list(op_tables.FORMS)) == []


def test_a_table_replaces_only_what_is_between_its_marks(op_tables: ModuleType) -> None:
    document = "a\n<!-- x: begin -->\nold\ntable\n<!-- x: end -->\nb\n<!-- y: begin -->\nz\n"
    assert op_tables.put_table(document, "x", r"new \1") == (
        "a\n<!-- x: begin -->\nnew \\1\n<!-- x: end -->\nb\n<!-- y: begin -->\nz\n"
    )
    assert op_tables.marks_missing(document, ["x", "y", "z"]) == ["y", "z"]


def test_the_verdict_names_rows_over_budget_and_rows_that_failed(op_tables: ModuleType) -> None:
    from peer import Row, Timing

    rows = [
        ("f", Timing(Row("fast", "", ""), ours=1.0, theirs=4.0)),
        ("f", Timing(Row("slow", "", ""), ours=4.0, theirs=1.0)),
        ("g", Timing(Row("broken", "", ""), error="PyTorch: no such operator")),
    ]
    assert op_tables.verdict(rows, 1.18) == (
        "All 3 rows: mean 1.00; 1 over 1.18: `slow` (4.00). Failed: broken."
    )
    assert "| f | 2 | 1.00 | 4.00 | `slow` |" in op_tables.family_table(rows)
