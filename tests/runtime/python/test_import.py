"""`import torch` loads little: what is heavy is loaded when a program uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch

_HEAVY = {
    "collections",
    "contextlib",
    "dataclasses",
    "enum",
    "functools",
    "inspect",
    "re",
    "typing",
}
_SCRIPT = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import torch
print(*sorted(set(sys.modules) - before))
"""


def test_the_standard_librarys_heavy_modules_are_not_loaded() -> None:
    folder = str(Path(torch.__file__).parents[1])
    command = [sys.executable, "-S", "-c", _SCRIPT, folder]  # -S: site loads some of them, too
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "torch.autograd.graph" in loaded
    assert loaded & _HEAVY == set()
