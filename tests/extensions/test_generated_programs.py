"""The generated shape functions and decompositions, compiled and called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "program_registries"


@pytest.mark.slow
def test_generated_programs_compile_and_run(tmp_path: Path) -> None:
    search = os.pathsep.join(
        [str(Path(torch.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    result = subprocess.run(
        [sys.executable, str(HERE / "behaviour.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
