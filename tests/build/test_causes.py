"""The table of causes against what tools printed when they failed: recorded_failures.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomllib

from tools.setup_helpers.failure.causes import find_cause, read_causes
from tools.setup_helpers.failure.diagnosis import diagnose_text
from tools.setup_helpers.failure.lookups import LOOKUPS
from tools.setup_helpers.failure.scene import Scene

RECORDED = tomllib.loads(Path(__file__).with_name("recorded_failures.toml").read_text())["failure"]


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda r: f"{r['cause']}, {r['tool']}")
def test_a_recorded_failure_has_its_cause(recorded: dict[str, Any]) -> None:
    match = find_cause(recorded["text"], exit_code=recorded.get("exit_code", 1))
    assert match is not None
    assert match.cause.id == recorded["cause"]
    assert match.words == recorded.get("words", {})


@pytest.mark.parametrize("row", read_causes(), ids=lambda row: row.id)
def test_every_row_is_recorded_and_says_something(row, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    texts = [recorded["text"] for recorded in RECORDED if recorded["cause"] == row.id]
    assert texts
    assert row.ask in ("", *LOOKUPS)
    found = diagnose_text("x", texts[0], Scene(tmp_path, tmp_path / "build"))
    assert found.cause and found.hint
    assert "{" not in found.cause + found.hint
