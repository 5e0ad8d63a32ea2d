"""torch.cuda of a build with CUDA; tests/cuda/python has the tests, which run in that build's torch.

They need a build with CUDA, in this checkout or in build-emulated:
`CUDA_EMULATION=ON BUILD_DIR=build-emulated python setup.py build`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent / "python"


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("test_*.py")))
def test_in_a_torch_with_cuda(cuda_environment: dict[str, str], file: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", str(FOLDER / file)]
    result = subprocess.run(
        command, cwd=FOLDER, env=cuda_environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " skipped" not in result.stdout, result.stdout
    assert "cuda_emulation:" not in result.stderr, result.stderr
