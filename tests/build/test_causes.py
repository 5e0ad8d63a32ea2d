"""The table of causes, tested on recorded output of failed tools (recorded_failures.toml)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import tomllib

from tools.insight.failure.causes import find_cause, read_causes
from tools.insight.failure.diagnosis import diagnose_text
from tools.insight.failure.lookups import LOOKUPS
from tools.setup_helpers.ninja.failures import FailureContext

RECORDED = tomllib.loads(Path(__file__).with_name("recorded_failures.toml").read_text())["failure"]


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda r: f"{r['cause']}, {r['tool']}")
def test_a_recorded_failure_has_its_cause(recorded: dict[str, Any]) -> None:
    match = find_cause(recorded["text"], exit_code=recorded.get("exit_code", 1))
    assert match is not None
    assert match.cause.id == recorded["cause"]
    assert match.words == recorded.get("words", {})


@pytest.mark.parametrize("row", read_causes(), ids=lambda row: row.id)
def test_every_row_has_a_recording_and_a_message(row, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    texts = [recorded["text"] for recorded in RECORDED if recorded["cause"] == row.id]
    assert texts
    assert row.ask in ("", *LOOKUPS)
    found = diagnose_text("x", texts[0], FailureContext(tmp_path, tmp_path / "build"))
    assert found.cause and found.hint
    assert "{" not in found.cause + found.hint


@pytest.mark.parametrize(
    "piece", ["x", "1,", "/a", "(", ":", "a.cpp:1:", " ", "word ", "`a' ", "x.o: "]
)
def test_a_long_line_is_searched_quickly(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    began = time.process_time()
    find_cause(text)
    assert (
        time.process_time() - began < 1
    )  # takes 0.02 s; each quadratic pattern would add a second
