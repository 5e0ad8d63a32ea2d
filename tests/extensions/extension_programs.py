"""Programs that build and use an extension, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")


def run_program(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program in an interpreter that imports the same torch."""
    search = os.pathsep.join(
        [str(Path(torch.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    return subprocess.run(
        [sys.executable, str(program), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
        check=False,
    )
