"""The examples train on CUDA devices as on the CPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def losses(device: str, *arguments: str) -> list[float]:
    """Return the losses that a run prints."""
    command = [sys.executable, *arguments, "--device", device]
    places = [str(EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}  # PYTHONSAFEPATH may be set
    answer = subprocess.run(
        command, cwd=EXAMPLES, env=environ, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert "cuda_emulation:" not in answer.stderr, answer.stderr
    return [float(value) for value in re.findall(r"^step \d+ loss (\S+)$", answer.stdout, re.M)]


@pytest.mark.parametrize(
    "arguments",
    [
        ("mnist.py", "--steps", "3", "--count", "192", "--dropout", "0"),
        ("char_gpt.py", "--steps", "2", "--every", "1", "--dropout", "0", "--generate", "0"),
    ],
    ids=["mnist", "char_gpt"],
)
def test_losses_equal_those_of_the_cpu(arguments: tuple[str, ...]) -> None:
    expected = losses("cpu", *arguments)
    assert len(expected) == int(arguments[2])
    assert expected[-1] != expected[0]
    assert losses("cuda", *arguments) == pytest.approx(expected, rel=2e-4)
