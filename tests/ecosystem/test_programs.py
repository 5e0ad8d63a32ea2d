"""Programs and libraries written for PyTorch print PyTorch's numbers; see programs/.

The libraries of the dependency group `ecosystem` are installed with --no-deps into one folder, which both
sides import from. Without TORCH_PEER the numbers are those of expected.json, which a run with it wrote:

    TORCH_PEER=... RECORD_EXPECTED=1 python -m pytest -m network tests/ecosystem
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.py") if path.stem != "report")
EXPECTED = HERE / "expected.json"
PEER = os.environ.get("TORCH_PEER")
RECORD = os.environ.get("RECORD_EXPECTED") == "1"
TOLERANCE = 1e-3

pytestmark = [pytest.mark.network, pytest.mark.slow]


def run(python: str, name: str, libraries: Path, folder: Path) -> dict[str, list[float]]:
    """Run a program and return the numbers that it reports."""
    paths = [str(HERE / "peer"), str(libraries)] if python == PEER else [str(libraries)]
    threads = {"OMP_NUM_THREADS": "2", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    environ = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths), "MPLBACKEND": "agg"}
    script = HERE / "programs" / f"{name}.py"
    result = subprocess.run(
        [python, "-W", "ignore", str(script)],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return dict(json.loads(result.stdout.strip().splitlines()[-1]))


def expected_numbers(name: str, libraries: Path, folder: Path) -> dict[str, list[float]]:
    if PEER is None:
        return dict(json.loads(EXPECTED.read_text())[name])
    numbers = run(PEER, name, libraries, folder)
    if RECORD:
        recorded = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
        recorded[name] = numbers
        lines = (f"{json.dumps(key)}: {json.dumps(recorded[key])}" for key in sorted(recorded))
        EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return numbers


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_the_numbers_of_pytorch(
    name: str, libraries: Path, tmp_path: Path
) -> None:
    expected = expected_numbers(name, libraries, tmp_path)
    ours = run(sys.executable, name, libraries, tmp_path)
    assert ours.keys() == expected.keys()
    for key, numbers in expected.items():
        assert ours[key] == pytest.approx(numbers, rel=TOLERANCE, abs=TOLERANCE), key


def test_every_program_has_recorded_numbers() -> None:
    assert sorted(json.loads(EXPECTED.read_text())) == PROGRAMS


def test_the_page_lists_each_library_with_its_version() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    pinned = dict(entry.split("==") for entry in groups["ecosystem"])
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    section = page.partition("## Libraries that run")[2]
    rows = [line.split(" | ")[:2] for line in section.splitlines() if line.startswith("| ")][2:]
    listed = {name.removeprefix("| "): version for name, version in rows}
    assert len(listed) >= 25
    assert {name: pinned.get(name) for name in listed} == listed
