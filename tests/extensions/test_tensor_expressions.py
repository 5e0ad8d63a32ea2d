"""The tutorial of tensor expressions, which compares both back ends with ATen."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "build/bin/tutorial_tensorexpr"  # it stays when the option is turned off
LIBRARY = ROOT / "torch/lib/libtorch_tensorexpr.so"
pytestmark = pytest.mark.skipif(
    not (TUTORIAL.exists() and LIBRARY.exists()),
    reason="needs BUILD_TENSOREXPR=ON BUILD_BINARY=ON python setup.py develop",
)


def run_tutorial(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TUTORIAL], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )


def test_the_tutorial_agrees_with_aten() -> None:
    result = run_tutorial()
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("both back ends agree with ATen") == 2
    assert "#pragma omp simd" in result.stdout and "#pragma omp parallel for" in result.stdout
    assert result.stdout.endswith("tutorial_tensorexpr: ok\n")


def test_a_missing_compiler_is_named() -> None:
    result = run_tutorial(CXX="/no/such/compiler")
    assert result.returncode != 0
    assert "CXX=/no/such/compiler: this compiler does not exist" in result.stderr


def test_compilers_are_looked_for_on_the_path(tmp_path: Path) -> None:
    result = run_tutorial(CXX="", PATH=str(tmp_path))
    assert result.returncode != 0
    assert "found no C++ compiler" in result.stderr


def test_the_compilers_own_message_is_shown(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho 'no space for kernel.so' >&2\nexit 1\n")
    compiler.chmod(0o755)
    result = run_tutorial(CXX=str(compiler), TMPDIR=str(tmp_path))
    assert result.returncode != 0
    assert re.search(r"failed on a tensor expression:\s+no space for kernel.so", result.stderr)
    assert list(tmp_path.iterdir()) == [compiler]
