"""TORCH_SHOW_CPP_STACKTRACES=1 adds the C++ stack to the messages of errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

PROGRAM = """
import torch
try:
    torch.ones(2).reshape(3)
except RuntimeError as error:
    print(error)
"""


def message(setting: str) -> str:
    """Return the message of an error with a setting of the variable."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TORCH_SHOW_CPP_STACKTRACES": setting},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_stack_names_functions_and_libraries() -> None:
    first, *others = message("1").splitlines()
    assert first == "shape '[3]' is invalid for input of size 2"
    frames = [line for line in others if line.startswith("frame #")]
    assert [line.partition(":")[0] for line in frames] == [
        f"frame #{i}" for i in range(len(frames))
    ]
    assert any(re.search(r": at::.*\(.*\) \+ \d+ in .*/libtorch_cpu\.so$", line) for line in frames)
    assert any("/libtorch_python" in line for line in frames)
    assert any("python" in line and "libtorch" not in line for line in frames)


@pytest.mark.parametrize("setting", ["", "0"])
def test_without_the_variable_there_is_no_stack(setting: str) -> None:
    assert message(setting) == "shape '[3]' is invalid for input of size 2\n"
