"""PyTorch's own sample calls of its operators give the same values and gradients here.

Runs with TORCH_PEER, if that Python has the package expecttest. known_differences.txt is exact.
"""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import replay

PEER = os.environ.get("TORCH_PEER")
HERE = Path(__file__).parent
DTYPES = ["float32", "complex64", "int64"]
FEWEST = 800  # calls with one dtype
# Eigenvectors have any sign or phase; which one LAPACK returns depends on the processor.
NOT_COMPARED = {"linalg.eig", "linalg.eigh"}

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


def their_samples(dtype: str, folder: Path) -> list[tuple[replay.Call, dict[str, Any]]]:
    """Return PyTorch's samples with one dtype, and their outcomes."""
    assert PEER
    if subprocess.run([PEER, "-c", "import expecttest"], capture_output=True).returncode:
        pytest.skip("TORCH_PEER has no package expecttest")
    output = folder / "samples.pickle"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [PEER, str(HERE / "their_samples.py"), dtype, str(output)]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    pairs: list[tuple[replay.Call, dict[str, Any]]] = pickle.loads(output.read_bytes())
    return pairs


def known(dtype: str) -> set[str]:
    """Return the functions whose samples of a dtype may differ."""
    names: set[str] = set()
    for line in (HERE / "known_differences.txt").read_text(encoding="utf-8").splitlines():
        dtypes, _, rest = line.partition(":")
        if not line.startswith("#") and dtype in dtypes.split():
            names.update(rest.split())
    return names


def close(mine: np.ndarray, other: np.ndarray) -> bool:
    """Whether dtypes and shapes are equal, and numbers to 1e-4 of the largest."""
    if mine.dtype != other.dtype or mine.shape != other.shape:
        return False
    if mine.dtype.kind not in "fc":
        return bool(np.array_equal(mine, other))
    largest = np.max(np.abs(other), initial=1.0, where=np.isfinite(other))
    return bool(np.allclose(mine, other, rtol=1e-4, atol=1e-4 * largest, equal_nan=True))


def shown(value: object) -> str:
    """Return the beginning of an outcome's text, in a line."""
    return " ".join(repr(value).split())[:200]


def differences(mine: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Yield what differs between the outcomes of a call."""
    if mine.get("error") != other.get("error"):
        yield f"error: {mine.get('error')}, PyTorch {other.get('error')}"
        return
    for part in ("results", "gradients"):
        ours, theirs = mine.get(part, []), other.get(part, [])
        if len(ours) != len(theirs):
            yield f"{part}: {len(ours)}, PyTorch {len(theirs)}"
            continue
        for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if (a is None) != (b is None) or (a is not None and not close(a.numbers, b.numbers)):
                yield f"{part}[{index}]: {shown(a)}, PyTorch {shown(b)}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_outcomes_are_the_same(dtype: str, tmp_path: Path) -> None:
    pairs = their_samples(dtype, tmp_path)
    assert len(pairs) > FEWEST
    found: dict[str, str] = {}
    for call, theirs in pairs:
        if call.name in NOT_COMPARED:
            continue
        for text in differences(replay.outcome(call), theirs):
            arguments = shown((call.arguments, call.keywords))
            found.setdefault(call.name, f"{call.name} {text}; arguments {arguments}")
    unknown = [found[name] for name in sorted(found.keys() - known(dtype))]
    assert not unknown, "\n".join(unknown)
    assert not known(dtype) - found.keys(), "no longer different: remove from the list"
