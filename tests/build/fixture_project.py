"""The fixture project, copied out of the repository together with the front end, and ways to run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Through this file a test's environment finds the packages of this one.
OUTER = "outer.pth"
SKIPPED = shutil.ignore_patterns("__pycache__", "build")


def make_environment(folder: Path, python: str = sys.executable) -> Path:
    """Create a virtual environment that uses this one's packages instead of downloads; return its Python."""
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    seen = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / OUTER).write_text("\n".join([*seen, ""]))
    return folder / "bin" / "python"


def lay_out_sources(folder: Path) -> Path:
    """Copy the fixture project's sources and the front end into a folder, as a user would."""
    shutil.copytree(ROOT / "tests/projects/tiny", folder, ignore=SKIPPED)
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/__init__.py", folder / "tools")
    for room in ("tools/base", "tools/setup_helpers", "tools/insight", "cmake"):
        shutil.copytree(ROOT / room, folder / room, ignore=SKIPPED)
    shutil.copy(ROOT / "setup.py", folder)
    return folder


class Project:
    """The fixture project in a temporary folder, and ways to run its front end."""

    def __init__(self, root: Path, python: Path) -> None:
        self.root = root
        self.python = python

    def run(
        self, *arguments: str, check: bool = True, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        return self.call([str(self.python), "setup.py", *arguments], check=check, **environ)

    def variables(self, **environ: str) -> dict[str, str]:
        """Return the environment for the front end: this one without variables that change a build."""
        foreign = ("PYTHON", "PIP_", "TINY", "MAX_JOBS", "CI")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        clean["PATH"] = f"{self.python.parent}:{clean['PATH']}"
        return clean | {"VIRTUAL_ENV": str(self.python.parents[1]), **environ}

    def call(
        self, command: list[str], check: bool = True, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        variables = self.variables(**environ)
        result = subprocess.run(
            command, cwd=self.root, env=variables, capture_output=True, text=True, check=False
        )
        if check and result.returncode:
            pytest.fail(f"{command} exited {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result

    def words(self) -> str:
        """Return what the built package prints in a fresh interpreter outside the checkout."""
        command = [str(self.python), "-c", "import tiny; print(tiny.words())"]
        return subprocess.run(command, cwd="/", capture_output=True, text=True, check=True).stdout

    def files(self) -> dict[str, int]:
        """Return every file except Python's caches, with its mtime."""
        return {
            str(p.relative_to(self.root)): p.stat().st_mtime_ns
            for p in self.root.rglob("*")
            if p.is_file() and "__pycache__" not in p.parts
        }

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        (self.root / path).write_text(text.replace(old, new))


class KeptProject:
    """A copy of the project after `setup.py develop`, with the files that it installed.

    Building takes seconds and restoring takes milliseconds. Times and paths are preserved, so the
    restored tree is up to date.
    """

    def __init__(self, sources: Path, python: Path, folder: Path) -> None:
        self._place, self._kept = folder / "place", folder / "kept"
        self._site = next(python.parents[1].glob("lib/python*/site-packages"))
        self._project = Project(self._place / "tiny", python)
        shutil.copytree(sources, self._project.root)
        self._project.run("develop")
        self._project.words()  # the first import creates __pycache__, which changes a folder that staging watches
        self._kept.mkdir()
        for original, copy in self._copies():
            _copy_as_it_is(original, copy)

    def restore(self) -> Project:
        """Undo the changes of earlier tests to the tree, the files next to it and the environment."""
        for original, copy in self._copies():
            if original.exists():
                shutil.rmtree(original)
            _copy_as_it_is(copy, original)
        return self._project

    def _copies(self) -> list[tuple[Path, Path]]:
        return [(self._place, self._kept / "place"), (self._site, self._kept / "site")]


def _copy_as_it_is(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", source, target], check=True)


def steps(project: Project) -> dict[str, str]:
    """Return the steps of the last build with their notes."""
    report = json.loads((project.root / "build/report.json").read_text())
    return {s["name"]: s["note"] for s in report["steps"]}


def rebuilt(project: Project) -> list[str]:
    """Return the names of the outputs that the last build made."""
    report = json.loads((project.root / "build/report.json").read_text())
    return [s.rpartition("/")[2] for s in report["rebuilt"]]
