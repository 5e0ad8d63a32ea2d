"""A build for a GPT and a convolutional network, from the source archive.

CMake and Ninja build it without setup.py, which then makes the wheel: its size, results and errors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from checkout import ROOT

sys.path.insert(0, str(ROOT))

from tools.setup_helpers.package.identity import table_identity
from tools.setup_helpers.package.manifest import staged_paths
from tools.setup_helpers.package.sdist import list_sources, make_sdist
from tools.setup_helpers.table.config_reader import load

PROGRAMS = {
    "char_gpt.py": ("--steps", "20", "--every", "5"),
    "mnist.py": ("--epochs", "3", "--count", "2000"),
}
MOST_MEGABYTES = 4.3

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.timeout(3000)]


def run(*command: str | Path, code: int = 0, cwd: Path = ROOT, **environ: str) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "PATH": path, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == code, result.stdout
    return result.stdout


def options(operators: Path) -> tuple[str, ...]:
    return f"SELECTED_OP_LIST={operators}", "BLAS=Builtin", "BUILD_TEST=OFF"


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
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked source archive: a tree that no build has touched, without git."""
    folder = tmp_path_factory.mktemp("sources")
    config = load(ROOT)
    files = list_sources(config, staged_paths(ROOT, ROOT / "build")).files
    archive = make_sdist(config, table_identity(config), folder, files)
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    (tree,) = (path for path in folder.iterdir() if path.is_dir())
    return tree


@pytest.fixture(scope="module")
def built(sources: Path, operators: Path) -> Path:
    """The tree with a selective build in it, made by `cmake` and `ninja`."""
    run("cmake", "--preset", "default", *(f"-D{o}" for o in options(operators)), cwd=sources)
    run("ninja", "-C", "build", cwd=sources)
    return sources


@pytest.fixture(scope="module")
def wheel(built: Path, operators: Path) -> Path:
    chosen = dict(option.split("=") for option in options(operators))
    objects = {path: path.stat().st_mtime_ns for path in (built / "build").rglob("*.o")}
    run(sys.executable, "setup.py", "bdist_wheel", cwd=built, REPAIR_WHEEL="OFF", **chosen)
    for path, written in objects.items():  # CMake and setup.py make the same build
        assert path.stat().st_mtime_ns == written, path
    assert objects
    (wheel,) = (built / "dist").glob("torchsmith-*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel, and NumPy, which the examples need."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, system_site_packages=False)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "-q", "numpy", wheel)
    return python


def test_the_preset_plans_the_whole_build(sources: Path) -> None:
    run("cmake", "--preset", "default", cwd=sources)
    run("ninja", "-C", "build", "build.ninja", cwd=sources)  # generates code
    commands = json.loads((sources / "build/compile_commands.json").read_text())
    compiled = {Path(command["file"]) for command in commands}
    assert len(compiled) > 500
    assert [path for path in compiled if not path.exists()] == []


def test_cmake_alone_makes_an_importable_tree(built: Path, tmp_path: Path) -> None:
    program = "import torch; print(torch.__file__, torch.arange(6.0).mean().item())"
    out = run(sys.executable, "-c", program, cwd=tmp_path, PYTHONPATH=str(built))
    assert out.split() == [str(built / "torch/__init__.py"), "2.5"]


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
