"""Random calls of all operators have the outcome of PyTorch: values, dtypes, shapes, or an error.

Runs with TORCH_PEER. RANDOM_CALLS sets how many calls of each overload are made, RANDOM_SEED draws
others. known_differences.txt is exact for the default calls.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import draw
import numpy as np
import pytest

PEER = os.environ.get("TORCH_PEER")
pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]
HERE = Path(__file__).parent
SHORT = 6
EACH = int(os.environ.get("RANDOM_CALLS", SHORT))
SEED = int(os.environ.get("RANDOM_SEED", "1"))
KNOWN = HERE / "known_differences.txt"
TOLERANCES = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 1e-4, "complex64": 1e-4}


def run_calls(python: str, calls: Path, outcomes: Path, count: int) -> list[Any]:
    """Run the calls in another process, again after each one that ends the process."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    script, found = str(HERE / "run_calls.py"), []
    while len(found) < count:
        outcomes.write_bytes(b"")
        command = [python, script, str(calls), str(outcomes), str(len(found))]
        ended = subprocess.run(command, env=environment, cwd=calls.parent, capture_output=True)
        with outcomes.open("rb") as stream:
            while True:
                try:
                    found.append(pickle.load(stream))
                except EOFError:
                    break
        if len(found) < count:
            found.append(("crash", ended.returncode))
    return found


def is_same(ours: Any, theirs: Any) -> bool:
    """Compare results: the same dtypes and shapes, and values within the dtype's tolerance."""
    if isinstance(theirs, list):
        return (
            isinstance(ours, list) and len(ours) == len(theirs) and all(map(is_same, ours, theirs))
        )
    if not isinstance(theirs, tuple):
        return ours == theirs
    if not isinstance(ours, tuple) or ours[:2] != theirs[:2]:
        return False
    tolerance = TOLERANCES.get(theirs[0].removeprefix("torch."), 1e-7)
    return np.allclose(ours[2], theirs[2], rtol=tolerance, atol=tolerance, equal_nan=True)


def shown(outcome: Any) -> str:
    return str(outcome).replace("\n", " ")[:150]


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The calls with different outcomes, by operator."""
    folder = tmp_path_factory.mktemp("calls")
    drawn, calls = draw.draws(EACH, SEED), folder / "calls.pickle"
    calls.write_bytes(pickle.dumps(drawn))
    assert PEER
    ours = run_calls(sys.executable, calls, folder / "ours.pickle", len(drawn))
    theirs = run_calls(PEER, calls, folder / "theirs.pickle", len(drawn))
    found: dict[str, list[str]] = {}
    for call, mine, other in zip(drawn, ours, theirs, strict=True):
        same = mine[0] == other[0] and (
            is_same(mine[1], other[1]) if other[0] == "value" else mine[1] == other[1]
        )
        if not same:
            text = f"{call}: PyTorch {shown(other)}, here {shown(mine)}"
            found.setdefault(call[0], []).append(text)
    return found


def known() -> set[str]:
    lines = KNOWN.read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def test_no_call_ends_the_process(differences: dict[str, list[str]]) -> None:
    crashes = [text for texts in differences.values() for text in texts if "here ('crash'" in text]
    assert not crashes, "\n".join(crashes)


def test_only_known_operators_differ(differences: dict[str, list[str]]) -> None:
    unknown = {name: texts for name, texts in differences.items() if name not in known()}
    counts = Counter({name: len(texts) for name, texts in unknown.items()})
    examples = "\n".join(texts[0] for texts in unknown.values())
    assert not unknown, f"{counts}\n{examples}"


@pytest.mark.skipif((EACH, SEED) != (SHORT, 1), reason="the list is of the default calls")
def test_list_of_known_differences_is_exact(differences: dict[str, list[str]]) -> None:
    fixed = known() - differences.keys()
    assert not fixed, f"remove from {KNOWN.name}: {sorted(fixed)}"
