"""A wheel for a GPT and a convolutional network: its size, its results, and its errors."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "char_gpt.py": ("--steps", "20", "--every", "5"),
    "mnist.py": ("--epochs", "3", "--count", "2000"),
}
MOST_MEGABYTES = 4.3

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.timeout(3000)]


def run(*command: str | Path, code: int = 0, **environ: str) -> str:
    result = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == code, result.stdout
    return result.stdout


def results(output: str) -> tuple[list[float], list[float]]:
    """Return the losses and the percentages of right answers that a program printed."""
    words = output.split()
    losses = [float(words[i + 1]) for i, word in enumerate(words) if word == "loss"]
    return losses, [float(word.rstrip("%")) for word in words if word.endswith("%")]


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The operators of both programs, recorded with the full build."""
    folder = tmp_path_factory.mktemp("lists")
    lists = []
    for program, arguments in PROGRAMS.items():
        lists.append(folder / f"{program}.yaml")
        record = (sys.executable, "-m", "torch.utils.record_operators")
        run(*record, ROOT / "examples" / program, "-o", lists[-1], "--", *arguments)
    merge = (sys.executable, "-m", "tools.code_analyzer.gen_operators_yaml")
    run(*merge, *lists, "-o", folder / "operators.yaml")
    return folder / "operators.yaml"


@pytest.fixture(scope="module")
def wheel(operators: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The wheel of a clean build."""
    started = time.time()
    made = tmp_path_factory.mktemp("selective") / "build"
    run(
        sys.executable, "setup.py", "bdist_wheel", BUILD_DIR=str(made),
        BLAS="Builtin", BUILD_TEST="OFF", REPAIR_WHEEL="OFF", SELECTED_OP_LIST=str(operators),
    )  # fmt: skip
    wheels = [p for p in (ROOT / "dist").glob("torchsmith-*.whl") if p.stat().st_mtime >= started]
    (wheel,) = wheels
    yield wheel
    wheel.unlink()


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel, and NumPy, which the examples need."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, system_site_packages=False)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "-q", "numpy", wheel)
    return python


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_MEGABYTES * 1e6


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_results_are_those_of_the_full_build(python: Path, program: str) -> None:
    command = (ROOT / "examples" / program, *PROGRAMS[program])
    (losses, shares), (selective_losses, selective_shares) = (
        results(run(each, *command)) for each in (sys.executable, python)
    )
    # The two builds have other libraries of matrix products, so the last bits of gradients
    # differ, and training enlarges that: the first losses are close, the last ones similar.
    assert losses and selective_losses[:2] == pytest.approx(losses[:2], rel=1e-3)
    assert selective_losses == pytest.approx(losses, rel=5e-2)
    assert selective_shares == pytest.approx(shares, abs=5)


def test_what_was_left_out_names_the_list(python: Path) -> None:
    def error(program: str) -> str:
        return run(python, "-I", "-c", f"import torch; {program}", code=1)

    assert "SELECTED_OP_LIST=operators.yaml does not name it" in error("torch.arange(2.).cosh()")
    half = error("torch.arange(2, dtype=torch.float16)")
    assert "dtype 'Half' was left out of this build" in half
    untrained = "x = torch.arange(4.).requires_grad_(); x.clamp(0).backward(torch.arange(4.))"
    assert "does not have the operator with `training: True`" in error(untrained)
