"""Results and error messages of the autograd API equal those of PyTorch, word for word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PEER = os.environ.get("TORCH_PEER")
SCRIPT = Path(__file__).parent / "scenarios.py"
pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


def outcomes(python: str, file: Path, environment: dict[str, str]) -> dict[str, list[str]]:
    subprocess.run([python, str(SCRIPT), str(file)], check=True, env=environment, cwd=file.parent)
    return json.loads(file.read_text())


def plain(text: str) -> str:
    """Return the text without addresses."""
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def test_scenarios_agree(tmp_path: Path) -> None:
    assert PEER
    root = str(Path(__file__).parents[3])
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ours = outcomes(sys.executable, tmp_path / "ours.json", {**bare, "PYTHONPATH": root})
    theirs = outcomes(PEER, tmp_path / "theirs.json", bare)
    different = [
        f"{name}\n  ours:   {ours[name]}\n  theirs: {theirs[name]}"
        for name in theirs
        if [plain(part) for part in ours[name]] != [plain(part) for part in theirs[name]]
    ]
    assert not different, "\n".join(different)
