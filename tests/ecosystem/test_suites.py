"""The own test suites of libraries pass.

einops ships its tests. Those of safetensors and torchdiffeq are only in their source trees: put the folders
`safetensors` (bindings/python of its source archive) and `torchdiffeq` into a folder and name it in
ECOSYSTEM_SUITES. The suites run from a copy, since they write files next to their sources.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITES = os.environ.get("ECOSYSTEM_SUITES")
pytestmark = [pytest.mark.network, pytest.mark.slow]
# The arguments of pytest for the suites that come from source trees. Other tests of safetensors need JAX,
# Paddle, MLX or TensorFlow; torchdiffeq has scripts.
SOURCES = {
    "safetensors": ["test_pt_comparison", "test_pt_model", "test_simple", "test_threadable"],
    "torchdiffeq": ["api_tests", "event_tests", "gradient_tests", "norm_tests", "odeint_tests"],
}


def passed(arguments: list[str], libraries: Path, folder: Path) -> int:
    """Run pytest in a folder and return how many tests passed; none may fail."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(libraries),
        "EINOPS_TEST_BACKENDS": "numpy,torch",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-1000:]
    found = re.search(r"(\d+) passed", ran.stdout)
    assert found, ran.stdout[-1000:]
    return int(found[1])


def test_suite_of_einops_passes(libraries: Path, tmp_path: Path) -> None:
    assert passed(["--pyargs", "einops.tests"], libraries, tmp_path) >= 60


@pytest.mark.skipif(not SUITES, reason="ECOSYSTEM_SUITES names a folder of source trees")
@pytest.mark.parametrize("name", SOURCES)
def test_suite_of_a_source_tree_passes(name: str, libraries: Path, tmp_path: Path) -> None:
    assert SUITES
    tests = Path(SUITES) / name / "tests"
    if not tests.exists():
        pytest.skip(f"{SUITES} has no tests of {name}")
    shutil.copytree(tests, tmp_path / "tests")
    files = [f"tests/{file}.py" for file in SOURCES[name]]
    assert passed(files, libraries, tmp_path) >= 15
