"""Run drawn calls under two interpreters and name in which aspects their outcomes differ.

Two differences are no faults and not counted: functions that also compute half precision, and the
order in which a message lists keywords.
"""

from __future__ import annotations

import os
import pickle
import re
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


def plain_message(message: str) -> str:
    """Return a message with its blanks joined and the keywords of the call in alphabetical order."""

    def ordered(match: re.Match[str]) -> str:
        parts = [part for part in match[1].split(", ") if part]
        named = sorted(part for part in parts if "=" in part)
        return f"got ({', '.join([part for part in parts if '=' not in part] + named)}), but"

    text = re.sub(r"got \((.*?)\), but", ordered, " ".join(message.split()))
    return re.sub(r"keywords were incorrect: [^*]*", "keywords were incorrect ", text)


def is_wider(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Return whether PyTorch lacks a kernel for half precision that this library has."""
    missing = re.search(r"not implemented for '(Half|BFloat16)'", theirs.get("message", ""))
    return missing is not None and "error" not in ours


def shown(outcome: dict[str, Any], aspect: str) -> str:
    """Return what an outcome has to say about an aspect, for a message."""
    if "crash" in outcome:
        return f"crash {outcome['crash']}"
    if "error" in outcome:
        return f"{outcome['error']}: {outcome['message']}"
    return str(outcome.get(aspect, outcome["result"])).replace("\n", " ")[:300]


def different_aspects(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return the aspects in which two outcomes differ: one of the first four, or several others."""
    if "crash" in ours or "crash" in theirs:
        return ["crash"] if ours != theirs else []
    if is_wider(ours, theirs):
        return []
    if ("error" in ours) != ("error" in theirs):
        return ["refusal" if "error" in theirs else "acceptance"]
    if "error" in theirs:
        if ours["error"] != theirs["error"]:
            return ["error"]
        same = plain_message(ours["message"]) == plain_message(theirs["message"])
        return [] if same else ["message"]
    if not is_same(ours["result"], theirs["result"]):
        return ["result"]
    found = [aspect for aspect in ASPECTS if ours[aspect] != theirs[aspect]]
    if not is_same(ours["gradient"], theirs["gradient"]):
        found.append("gradient")
    return found
