"""Every row of benchmarks/cuda_bench.py runs, and the benchmark says what it lacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "benchmarks" / "cuda_bench.py"


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_row_runs(cuda_environment: dict[str, str]) -> None:
    answer = run(cuda_environment, "--check")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "cuda_emulation:" not in answer.stderr, answer.stderr
    assert " 0 failed" in answer.stdout


def test_without_a_device_nothing_is_measured(cuda_environment: dict[str, str]) -> None:
    hidden = {"CUDA_EMULATION_DEVICES": "0", "CUDA_VISIBLE_DEVICES": ""}
    answer = run({**cuda_environment, **hidden})
    assert answer.returncode != 0
    assert "found no GPU" in answer.stderr, answer.stderr


def test_the_emulated_device_is_not_measured(cuda_environment: dict[str, str]) -> None:
    program = "import torch; print(torch.cuda.get_device_name(0))"
    name = subprocess.check_output(
        [sys.executable, "-P", "-c", program], env=cuda_environment, text=True
    )
    if not name.startswith("Emulated"):
        pytest.skip(f"{name.strip()} is a GPU, which the benchmark measures")
    answer = run(cuda_environment)
    assert answer.returncode != 0
    assert "no speed to measure" in answer.stderr, answer.stderr
