"""A copy of the fixture project with the front end beside it, and an environment of its own to install into."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


class Project:
    """The fixture project in a temporary folder, and ways to run its front end."""

    def __init__(self, root: Path, python: Path) -> None:
        self.root = root
        self.python = python

    def run(
        self, *arguments: str, check: bool = True, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        return self.call([str(self.python), "setup.py", *arguments], check=check, **environ)

    def call(
        self, command: list[str], check: bool = True, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        clean = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("PYTHON", "PIP_", "TINY", "MAX_JOBS"))
        }
        clean["PATH"] = f"{self.python.parent}:{clean['PATH']}"
        clean |= {"VIRTUAL_ENV": str(self.python.parents[1]), "CCACHE_DISABLE": "1", **environ}
        result = subprocess.run(
            command, cwd=self.root, env=clean, capture_output=True, text=True, check=False
        )
        if check and result.returncode:
            pytest.fail(f"{command} exited {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result

    def words(self) -> str:
        """What the built package answers in a fresh interpreter outside the checkout."""
        command = [str(self.python), "-c", "import tiny; print(tiny.words())"]
        return subprocess.run(command, cwd="/", capture_output=True, text=True, check=True).stdout

    def files(self) -> dict[str, int]:
        """Every file outside the version control of Python, with its mtime."""
        return {
            str(p.relative_to(self.root)): p.stat().st_mtime_ns
            for p in self.root.rglob("*")
            if p.is_file() and "__pycache__" not in p.parts
        }

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        (self.root / path).write_text(text.replace(old, new))


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that sees this one's packages, so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    import sysconfig

    (site / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixture project as a user would lay it out."""
    folder = tmp_path_factory.mktemp("sources") / "tiny"
    shutil.copytree(
        ROOT / "tests/projects/tiny", folder, ignore=shutil.ignore_patterns("__pycache__", "build")
    )
    ignore = shutil.ignore_patterns("__pycache__")
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/__init__.py", folder / "tools")
    shutil.copytree(ROOT / "tools/setup_helpers", folder / "tools/setup_helpers", ignore=ignore)
    shutil.copytree(ROOT / "cmake", folder / "cmake", ignore=ignore)
    shutil.copy(ROOT / "setup.py", folder)
    return folder


@pytest.fixture
def project(sources: Path, environment: Path, tmp_path: Path) -> Project:
    """A fresh copy, not built yet."""
    folder = tmp_path / "tiny"
    shutil.copytree(sources, folder)
    return Project(folder, environment)


@pytest.fixture
def developed(project: Project) -> Project:
    """A copy after `setup.py develop`."""
    project.run("develop")
    return project


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[[str], object]]:
    """Reads a build_config.toml from text that lacks only its [project]."""
    from tools.setup_helpers.config_reader import parse_config

    head = (
        '[project]\ndistribution = "p"\npackage = "p"\nversion_file = "version.txt"\n[packaging]\n'
    )
    (tmp_path / "version.txt").write_text("1.2.3\n")

    def read(text: str) -> object:
        return parse_config(head + text, tmp_path)

    yield read
