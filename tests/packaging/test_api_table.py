"""docs/api.md and its counts in README.md say what the package has."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import api_table  # noqa: E402

PEER = os.environ.get("TORCH_PEER")


def names() -> dict[str, list[str]]:
    return dict(json.loads(api_table.NAMES.read_text(encoding="utf-8")))


def test_the_page_and_the_counts_are_up_to_date() -> None:
    page, total = api_table.render(names())
    readme = api_table.README.read_text(encoding="utf-8")
    message = f"run: {api_table.MARK}"
    assert api_table.PAGE.read_text(encoding="utf-8") == page, message
    assert api_table.with_counts(readme, total) == readme, message


def test_states_are_distinguished() -> None:
    assert api_table.state_of("torch", "add") == api_table.PRESENT
    assert api_table.state_of("torch.mps", "is_available") == api_table.PRESENT
    assert api_table.state_of("torch.nn", "DataParallel") == api_table.PRESENT
    assert api_table.state_of("torch.mps", "synchronize") == api_table.NAMED
    assert api_table.state_of("torch", "SymInt") == api_table.NAMED
    assert api_table.state_of("torch", "no_such_name") == api_table.ABSENT
    assert api_table.state_of("torch.no_such_module", "name") == api_table.ABSENT


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_the_names_are_those_of_pytorch() -> None:
    assert api_table.ask_peer() == names()
