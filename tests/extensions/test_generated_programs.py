"""The generated shape functions and decompositions, compiled and called."""

from __future__ import annotations

from pathlib import Path

import pytest
from extension_programs import run_program

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "program_registries"


@pytest.mark.slow
def test_generated_programs_compile_and_run(tmp_path: Path) -> None:
    result = run_program(HERE / "behaviour.py", tmp_path)
    assert result.returncode == 0, result.stderr
