"""The tiny project with a copy of the front end, and a virtual environment to build it in.

No test in this folder needs the network: environments can import the packages of pytest's own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "projects" / "tiny"
# The files of the front end that every project needs.
VENDORED = ("setup.py", "tools/__init__.py", "cmake/Options.cmake", "cmake/Codegen.cmake")
VENDORED_FOLDERS = ("tools/base", "tools/setup_helpers", "tools/insight", "cmake/Modules")


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def site_packages(self) -> Path:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        return self.folder / "lib" / version / "site-packages"

    def variables(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables of an activated environment, without the caller's build options."""
        kept = ("HOME", "LANG", "TMPDIR", "CC", "CXX", "CCACHE_DIR")
        values = {name: os.environ[name] for name in kept if name in os.environ}
        scripts = sysconfig.get_path("scripts")
        values["PATH"] = os.pathsep.join([str(self.python.parent), scripts, os.environ["PATH"]])
        values["VIRTUAL_ENV"] = str(self.folder)
        # pip's notices and its index must not depend on this machine's configuration.
        values |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1"}
        return values | dict(more or {})

    def run(
        self, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, code: int = 0
    ) -> str:
        """Run the environment's Python, assert the exit code, and return both output streams."""
        result = subprocess.run(
            [str(self.python), *arguments],
            cwd=cwd,
            env=self.variables(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert result.returncode == code, f"exit code {result.returncode}\n{result.stdout}"
        return result.stdout


@dataclass(frozen=True)
class Checkout:
    """A copy of the tiny project."""

    root: Path
    environment: Environment

    def setup(self, *arguments: str, env: Mapping[str, str] | None = None, code: int = 0) -> str:
        return self.environment.run("setup.py", *arguments, cwd=self.root, env=env, code=code)

    def words(self, *, where: Path | None = None) -> list[str]:
        """Return the greetings as seen by an interpreter started outside the checkout."""
        out = self.environment.run(
            "-c", "import tiny; print(*tiny.words())", cwd=where or self.root.parent
        )
        return out.split()

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Return every file of the checkout except Python's caches."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }


def make_checkout(root: Path, environment: Environment) -> Checkout:
    unwanted = shutil.ignore_patterns("__pycache__", "build", "dist", "*.so")
    shutil.copytree(TINY, root, ignore=unwanted)
    for name in VENDORED_FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=unwanted)
    for name in VENDORED:
        shutil.copyfile(ROOT / name, root / name)
    return Checkout(root, environment)


def make_environment(folder: Path, *, packages: bool = True) -> Environment:
    """Create an environment; with `packages`, it can import those of the running one."""
    if not packages:
        pytest.importorskip("ensurepip", reason="ensurepip is not installed (python3-venv)")
    command = [sys.executable, "-m", "venv", *(["--without-pip"] if packages else []), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    environment = Environment(folder)
    if packages:
        seen = "\n".join(p for p in sys.path if p.endswith("site-packages"))
        (environment.site_packages / "outer.pth").write_text(f"{seen}\n", encoding="utf-8")
    return environment
