"""Parts of the build that options add, on a CUDA device; tests/cuda/parts has the tests, which run in a build with them.

They need a build with CUDA, in this checkout or in build-emulated:
`BUILD_LEGACY_NN=ON BUILD_CAFFE2=ON CUDA_EMULATION=ON BUILD_DIR=build-emulated python setup.py build`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent / "parts"


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("test_*.py")))
def test_part_in_a_torch_with_cuda(cuda_environment: dict[str, str], file: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-rs", str(FOLDER / file)]
    result = subprocess.run(
        command, cwd=FOLDER, env=cuda_environment, capture_output=True, text=True, timeout=300
    )
    nothing = result.returncode == pytest.ExitCode.NO_TESTS_COLLECTED  # a skipped file
    assert nothing or result.returncode == 0, result.stdout + result.stderr
    if " passed" not in result.stdout:
        pytest.skip(result.stdout.partition("SKIPPED")[2].strip())
    assert "cuda_emulation:" not in result.stderr, result.stderr
