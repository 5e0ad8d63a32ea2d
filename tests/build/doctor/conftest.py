"""The fixture project with the toolchain options and the checks of torch's own table, and its doctor."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomllib

from tools.setup_helpers.table.predicates import evaluate, names, parse, platform_facts

from ..fixture_project import ROOT, Project

TOOLCHAIN = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "DEBUG", "CUDACXX", "CUDA_HOME")


@dataclass(frozen=True)
class Doctor:
    """`setup.py doctor` on one copy of the fixture project."""

    project: Project

    def findings(self, *checks: str, **environ: str) -> dict[str, dict[str, str]]:
        """Return the entries of `doctor --json` by check; without arguments, those of all checks."""
        result = self.project.run("doctor", "--json", *checks, check=False, **environ)
        assert result.returncode in (0, 3), result.stderr
        rows = json.loads(result.stdout)["checks"]
        problems = [row["id"] for row in rows if row["status"] == "problem"]
        assert (result.returncode == 3) == bool(problems)
        return {row["id"]: row for row in rows}

    def finding(self, name: str, **environ: str) -> dict[str, str]:
        return self.findings(name, **environ)[name]

    def append(self, text: str) -> None:
        with (self.project.root / "build_config.toml").open("a") as file:
            file.write(f"\n{text}")


def rows_of_torch() -> str:
    """Return the toolchain rows of torch's table that the fixture project lacks, as TOML."""
    torch, tiny = (
        tomllib.loads((root / "build_config.toml").read_text())
        for root in (ROOT, ROOT / "tests/projects/tiny")
    )
    options = {*TOOLCHAIN, *tiny["options"]}
    defaults = {name: str(row.get("default", "OFF")) for name, row in torch["options"].items()}

    def holds(row: dict[str, object]) -> bool:
        """Whether the row's condition can be evaluated here, or holds with torch's defaults."""
        if "when" not in row:
            return True
        condition = parse(str(row["when"]))
        values = platform_facts() | defaults
        return options.issuperset(names(condition)) or evaluate(condition, values)

    lacking = [name for name in TOOLCHAIN if name not in tiny["options"]]
    text = [_row(f"[options.{name}]", torch["options"][name], options) for name in lacking]
    for section in ("check", "variable"):
        known = {row["name"] for row in tiny.get(section, [])}
        rows = [row for row in torch[section] if row["name"] not in known and holds(row)]
        text += [_row(f"[[{section}]]", row, options) for row in rows]
    return "".join(text)


def _row(head: str, row: dict[str, object], options: set[str]) -> str:
    """Return a row without conditions on options that the fixture project lacks."""
    lines = [head]
    for key, value in row.items():
        if key not in ("when", "requires") or options.issuperset(names(parse(str(value)))):
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join([*lines, "", ""])


@pytest.fixture
def doctor(project: Project) -> Doctor:
    """The doctor of a fresh copy, in which nothing is built."""
    doctor = Doctor(project)
    doctor.append(rows_of_torch())
    return doctor


@pytest.fixture
def developed(doctor: Doctor) -> Doctor:
    """The doctor of a separate tree after `setup.py develop`."""
    doctor.project.run("develop")
    return doctor


@pytest.fixture(scope="session")
def built(sources: Path, environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Doctor:
    """The doctor of a built tree that is shared by the tests that do not change it."""
    root = tmp_path_factory.mktemp("built") / "tiny"
    shutil.copytree(sources, root)
    built = Doctor(Project(root, environment))
    built.append(rows_of_torch())
    built.project.run("develop")
    return built


@contextmanager
def restored(path: Path) -> Iterator[Path]:
    """Restore the bytes of a file at the end of the block."""
    before = path.read_bytes()
    try:
        yield path
    finally:
        path.write_bytes(before)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with links to all programs on PATH except the compilers."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            if not program.name.startswith(
                ("c++", "g++", "gcc", "cc", "clang", "python", "c8", "c9")
            ):
                link = folder / program.name
                if not os.path.lexists(link):
                    link.symlink_to(program)
    return folder


@pytest.fixture
def wrapper(tmp_path: Path) -> Callable[..., str]:
    """Create a program that runs shell lines and then the real program with the same arguments."""

    def make(name: str, lines: str, real: str = "") -> str:
        path = tmp_path / "wrappers" / name
        path.parent.mkdir(exist_ok=True)
        last = f'exec {shutil.which(real)} "$@"\n' if real else ""
        path.write_text(f"#!/bin/sh\n{lines}\n{last}")
        path.chmod(0o755)
        return str(path)

    return make
