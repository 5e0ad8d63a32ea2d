"""Builds for another machine, with the variables of cmake/toolchains/cross.sh."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tools.setup_helpers.table.predicates import platform_facts

from .fixture_project import Project, make_environment

TRIPLET = "aarch64-linux-gnu"
SYSTEM_PYTHON = "/usr/bin/python3"
AARCH64 = 183
"""The machine's number in an ELF header."""


def _system_python_knows_the_machine() -> bool:
    question = f"import sys, importlib.util as u; sys.exit(u.find_spec('_sysconfigdata__{TRIPLET}') is None)"
    return (
        Path(SYSTEM_PYTHON).exists()
        and subprocess.run([SYSTEM_PYTHON, "-c", question], check=False).returncode == 0
    )


def test_conditions_see_the_machine_that_the_build_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", "linux-aarch64")
    assert platform_facts()["aarch64"] and not platform_facts()["x86_64"]
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", "linux-x86_64")
    assert platform_facts()["x86_64"] and not platform_facts()["aarch64"]


@pytest.mark.skipif(
    not shutil.which(f"{TRIPLET}-g++") or not _system_python_knows_the_machine(),
    reason="this takes a cross compiler: apt-get install g++-aarch64-linux-gnu libpython3-dev:arm64",
)
def test_a_wheel_for_another_machine(sources: Path, tmp_path: Path) -> None:
    project = Project(tmp_path / "tiny", make_environment(tmp_path / "environment", SYSTEM_PYTHON))
    shutil.copytree(sources, project.root)
    packages = tmp_path / "packages"
    (packages / "scipy_openblas32").mkdir(parents=True)  # this project needs no OpenBLAS
    build = f". cmake/toolchains/cross.sh {TRIPLET} {packages} && exec python setup.py bdist_wheel"
    project.call(["bash", "-c", build])
    (wheel,) = (x for x in (project.root / "dist").iterdir() if "none-any" not in x.name)
    assert wheel.name.endswith("_aarch64.whl")
    with zipfile.ZipFile(wheel) as archive:
        binaries = {name: archive.read(name) for name in archive.namelist() if ".so" in name}
    assert any(f"-{TRIPLET}.so" in name for name in binaries)
    machines = {int.from_bytes(content[18:20], "little") for content in binaries.values()}
    assert machines == {AARCH64}
