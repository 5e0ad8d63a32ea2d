"""Generated functions that call operators with a stack, for a list of selected operators."""

from __future__ import annotations

from pathlib import Path

import pytest
from extension_programs import run_program

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "unboxing"


@pytest.mark.slow
def test_selected_operators_are_called_by_signature(tmp_path: Path) -> None:
    result = run_program(HERE / "behaviour.py", tmp_path)
    assert result.returncode == 0, result.stderr
