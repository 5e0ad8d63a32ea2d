"""The examples in PyTorch's docstrings print the same here.

They are read from PyTorch when the test runs. known_differences.txt names those that differ, and why.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PEER = os.environ.get("TORCH_PEER")
pytestmark = [
    pytest.mark.peer,
    pytest.mark.slow,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]
SCRIPT = Path(__file__).with_name("examples.py")
KNOWN = Path(__file__).with_name("known_differences.txt")
NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?|\bnan\b|-?\binf\b")


def script(python: str | None, folder: Path, *arguments: str) -> None:
    assert python
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [python, str(SCRIPT), *arguments]
    subprocess.run(command, check=True, cwd=folder, env=environment)


def known() -> set[str]:
    lines = KNOWN.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def plain(text: str) -> str:
    """Leave out addresses, the numbers of backward nodes, and how lines are divided."""
    return re.sub(r"\s+", "", re.sub(r"(Backward)\d|0x[0-9a-f]+", r"\1", text))


def is_same(ours: str, theirs: str) -> bool:
    a, b = plain(ours), plain(theirs)
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    values = ((float(x), float(y)) for x, y in pairs)
    return all(
        x == y or (x != x and y != y) or math.isclose(x, y, rel_tol=2e-3, abs_tol=2e-3)
        for x, y in values
    )


def test_examples_print_the_same(tmp_path: Path) -> None:
    script(PEER, tmp_path, "collect", "examples.json")
    script(PEER, tmp_path, "run", "examples.json", "theirs.json")
    script(sys.executable, tmp_path, "run", "examples.json", "ours.json")
    theirs = json.loads((tmp_path / "theirs.json").read_text())
    ours = json.loads((tmp_path / "ours.json").read_text())
    assert sum(map(len, theirs.values())) > 3000
    different = {
        name
        for name in theirs
        if not all(itertools.starmap(is_same, zip(ours[name], theirs[name], strict=True)))
    }
    assert sorted(different - known()) == []
