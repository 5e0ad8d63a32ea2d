"""Run drawn calls under two interpreters and name in which aspects their outcomes differ."""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
TOLERANCES = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 1e-4, "complex64": 1e-4}
ASPECTS = ("text", "strides", "view", "versions", "result versions", "warnings")


def run_calls(python: str, calls: Path, outcomes: Path, count: int) -> list[dict[str, Any]]:
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
            found.append({"crash": ended.returncode})
    return found


def is_same(ours: Any, theirs: Any) -> bool:
    """Compare results: the same dtypes and shapes, and values within the dtype's tolerance."""
    if isinstance(theirs, list):
        return (
            isinstance(ours, list) and len(ours) == len(theirs) and all(map(is_same, ours, theirs))
        )
    if not isinstance(theirs, tuple) or theirs[:1] == ("error",):
        return ours == theirs
    if not isinstance(ours, tuple) or ours[:2] != theirs[:2]:
        return False
    tolerance = TOLERANCES.get(theirs[0].removeprefix("torch."), 1e-7)
    return np.allclose(ours[2], theirs[2], rtol=tolerance, atol=tolerance, equal_nan=True)


def different_aspects(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return the aspects in which two outcomes differ: one of the first four, or several others."""
    if "crash" in ours or "crash" in theirs:
        return ["crash"] if ours != theirs else []
    if ("error" in ours) != ("error" in theirs):
        return ["refusal" if "error" in theirs else "acceptance"]
    if "error" in theirs:
        if ours["error"] != theirs["error"]:
            return ["error"]
        return ["message"] if ours["message"] != theirs["message"] else []
    if not is_same(ours["result"], theirs["result"]):
        return ["result"]
    found = [aspect for aspect in ASPECTS if ours[aspect] != theirs[aspect]]
    if not is_same(ours["gradient"], theirs["gradient"]):
        found.append("gradient")
    return found
