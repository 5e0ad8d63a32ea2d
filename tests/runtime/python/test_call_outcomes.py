"""Calls have PyTorch's outcome word for word: values, errors and warnings.

call_outcomes.json holds PyTorch's outcomes. To add an expression, add it with any outcome and write
the file anew under PyTorch: `python evaluate_calls.py call_outcomes.json call_outcomes.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXPECTED = HERE / "call_outcomes.json"
PEER = os.environ.get("TORCH_PEER")


def outcomes(python: str, folder: Path) -> dict[str, str]:
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    file = folder / "outcomes.json"
    command = [python, str(HERE / "evaluate_calls.py"), str(EXPECTED), str(file)]
    subprocess.run(command, check=True, env=bare, cwd=folder)
    return json.loads(file.read_text())


def differences(found: dict[str, str]) -> str:
    expected = json.loads(EXPECTED.read_text())
    return "\n".join(
        f"{expression}\n  expected: {text}\n  found:    {found[expression]}"
        for expression, text in expected.items()
        if found[expression] != text
    )


def test_calls_have_the_recorded_outcomes(tmp_path: Path) -> None:
    different = differences(outcomes(sys.executable, tmp_path))
    assert not different, different


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_recorded_outcomes_are_those_of_pytorch(tmp_path: Path) -> None:
    assert PEER
    different = differences(outcomes(PEER, tmp_path))
    assert not different, different
