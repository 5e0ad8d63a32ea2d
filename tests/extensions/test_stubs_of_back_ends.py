"""Kernels that a back end's YAML file declares, compiled with the stubs of gen_backend_stubs."""

from __future__ import annotations

from pathlib import Path

import pytest
from extension_programs import run_program

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "backend_stubs"


@pytest.mark.slow
def test_kernels_and_their_variants_run(tmp_path: Path) -> None:
    result = run_program(HERE / "behaviour.py", tmp_path)
    assert result.returncode == 0, result.stderr
