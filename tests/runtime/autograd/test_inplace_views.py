"""Random programs of views and in-place changes give the same outcomes as in PyTorch."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PEER = os.environ.get("TORCH_PEER")
SCRIPT = Path(__file__).parent / "inplace_programs.py"
COUNT = 1500
pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


def outcomes(python: str, file: Path, environment: dict[str, str]) -> list[Any]:
    subprocess.run(
        [python, str(SCRIPT), str(file), str(COUNT)], check=True, env=environment, cwd=file.parent
    )
    return json.loads(file.read_text())


def same(ours: Any, theirs: Any) -> bool:
    """Return whether outcomes are equal except for rounding and the numbers in node names."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-4) or ours != ours
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, str) and isinstance(theirs, str):
        return unnumbered(ours) == unnumbered(theirs)
    return bool(ours == theirs)


def unnumbered(text: str) -> str:
    """Remove numbers from node names (MulBackward1) and spell complex types like Python."""
    text = text.replace("CPUComplexFloatType", "torch.ComplexFloatTensor")
    return re.sub(r"(?<=[a-z])\d\b", "", text)


def test_random_programs_agree(tmp_path: Path) -> None:
    assert PEER
    root = str(Path(__file__).parents[3])
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ours = outcomes(sys.executable, tmp_path / "ours.json", {**bare, "PYTHONPATH": root})
    theirs = outcomes(PEER, tmp_path / "theirs.json", bare)
    assert any(isinstance(program[-1], list) for program in theirs)
    different = []
    for seed, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if not same(mine, other):
            length = min(len(mine), len(other))
            step = next((i for i in range(length) if not same(mine[i], other[i])), length - 1)
            different.append(
                f"seed {seed}: {other[:step]}\n  ours:   {mine[step]}\n  theirs: {other[step]}"
            )
    assert not different, f"{len(different)} of {COUNT}\n" + "\n".join(different[:5])
