"""The examples train: their losses fall, and equal PyTorch's losses from the same seed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
PEER = os.environ.get("TORCH_PEER")


def losses(python: str, *arguments: str) -> list[float]:
    """Return the losses that a run prints."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" or python != PEER}
    command = [python, *arguments]
    done = subprocess.run(
        command, check=True, env=environment, cwd=EXAMPLES, capture_output=True, text=True
    )
    return [float(value) for value in re.findall(r"^step \d+ loss (\S+)$", done.stdout, re.M)]


MNIST = ("mnist.py", "--steps", "5", "--count", "640")
CHAR_GPT = ("char_gpt.py", "--steps", "5", "--every", "1", "--text", "mnist.py")


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.parametrize("arguments", [MNIST, CHAR_GPT], ids=["mnist", "char_gpt"])
def test_first_losses_equal_those_of_pytorch(arguments: tuple[str, ...]) -> None:
    assert PEER
    ours, theirs = losses(sys.executable, *arguments), losses(PEER, *arguments)
    assert len(theirs) == 5
    assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    "arguments",
    [
        ("mnist.py", "--epochs", "1", "--count", "3200"),
        ("char_gpt.py", "--steps", "40", "--every", "5"),
    ],
    ids=["mnist", "char_gpt"],
)
def test_losses_fall(arguments: tuple[str, ...]) -> None:
    seen = losses(sys.executable, *arguments)
    assert len(seen) >= 4
    assert sum(seen[-2:]) < 0.9 * sum(seen[:2])
