"""What PyTorch's functions take by name, and the members of its classes, are there in this build."""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
from inspect import Parameter
from pathlib import Path
from typing import Any

import pytest
from runtime.python.signatures import Parameters

SCRIPT = Path(__file__).with_name("signatures.py")
PEER = os.environ.get("TORCH_PEER", "")
KNOWN = [
    line
    for line in Path(__file__).with_name("signature_differences.txt").read_text().splitlines()
    if not line.startswith("#")
]
POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def read(python: str) -> dict[str, dict[str, Any]]:
    run = subprocess.run([python, SCRIPT], capture_output=True, text=True, cwd="/")
    assert run.returncode == 0, run.stderr
    found: dict[str, dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])
    return found


def refuses(ours: Parameters, theirs: Parameters) -> bool:
    """Return whether there may be a call that PyTorch takes and this build does not."""
    names = {name: kind for name, kind, _ in ours}
    kinds = {*names.values()}
    if Parameter.VAR_KEYWORD not in kinds and any(
        kind in NAMED and names.get(name) not in NAMED for name, kind, _ in theirs
    ):
        return True
    order = [name for name, kind, _ in ours if kind in POSITIONAL]
    wanted = [name for name, kind, _ in theirs if kind in POSITIONAL]
    if Parameter.VAR_POSITIONAL not in kinds and len(order) < len(wanted):
        return True
    both = [name for name in wanted if name in order]
    return order[: len(both)] != both


@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_calls_and_members_of_pytorch_are_taken() -> None:
    ours, theirs = read(sys.executable), read(PEER)
    different = []
    for name, wanted in theirs["functions"].items():
        found = ours["functions"].get(name)
        if found and wanted and refuses(found, wanted):
            different.append(name)
    for name, members in theirs["classes"].items():
        found = ours["classes"].get(name)
        if found is not None:
            different += [f"{by}.{member}" for member, by in members.items() if member not in found]
    known = {line: fnmatch.filter(different, line) for line in KNOWN}
    assert sorted({*different}.difference(*known.values())) == []
    assert [line for line, names in known.items() if not names] == []
