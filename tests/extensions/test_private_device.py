"""A device that is not part of the build: an extension's, with its own memory, guard and kernels.

Its memory lies in a range of addresses without access, so a host function that touches it anywhere
but in the device's own copy functions and kernels dies. The whole sample table runs on it.
"""

from __future__ import annotations

import ast
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from extension_programs import run_program

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "private_device"
SAMPLES = HERE.parents[1] / "runtime"
BEHAVIOURS = [
    node.name
    for node in ast.parse((HERE / "behaviour.py").read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_program(HERE / script, *arguments)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder with the compiled extension."""
    folder = str(tmp_path_factory.mktemp("private_device"))
    result = run("behaviour.py", folder, "test_prints")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if n != "test_host_access_is_fatal"])
def test_behaviour(built: str, name: str) -> None:
    result = run("behaviour.py", built, name)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_host_access_is_fatal(built: str) -> None:
    result = run("behaviour.py", built, "test_host_access_is_fatal")
    assert result.returncode == -signal.SIGSEGV, result.stderr


def table(built: str, kind: str) -> list[dict[str, Any]]:
    result = run("run_table.py", built, str(SAMPLES), kind)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["values", "gradients"])
def test_the_sample_table_gives_what_the_cpu_gives(built: str, kind: str) -> None:
    records = table(built, kind)
    wrong = {each["operator"]: each["failures"][:2] for each in records if each["failures"]}
    assert not wrong
    assert sum(each["agreed"] for each in records) > 1000
