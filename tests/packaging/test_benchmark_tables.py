"""The tables that the benchmarks put into docs/benchmarks.md."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def benchmarks_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def test_the_document_has_a_place_for_every_table() -> None:
    from build_bench import MARK
    from documents import marks_missing
    from op_tables import FORMS

    document = (ROOT / "docs/benchmarks.md").read_text()
    assert marks_missing(document, [*FORMS, MARK]) == []


def test_a_table_replaces_only_what_is_between_its_marks() -> None:
    from documents import marks_missing, put_table

    document = "a\n<!-- x: begin -->\nold\ntable\n<!-- x: end -->\nb\n<!-- y: begin -->\nz\n"
    assert put_table(document, "x", r"new \1") == (
        "a\n<!-- x: begin -->\nnew \\1\n<!-- x: end -->\nb\n<!-- y: begin -->\nz\n"
    )
    assert marks_missing(document, ["x", "y", "z"]) == ["y", "z"]


def test_the_verdict_names_rows_over_budget_and_rows_that_failed() -> None:
    from op_tables import family_table, verdict
    from peer import Row, Timing

    rows = [
        ("f", Timing(Row("fast", "", ""), ours=1.0, theirs=4.0)),
        ("f", Timing(Row("slow", "", ""), ours=4.0, theirs=1.0)),
        ("g", Timing(Row("broken", "", ""), error="PyTorch: no such operator")),
    ]
    assert verdict(rows, 1.18) == (
        "All 3 rows: mean 1.00; 1 over 1.18: `slow` (4.00). Failed: broken."
    )
    assert "| f | 2 | 1.00 | 4.00 | `slow` |" in family_table(rows)
