"""A container engine, and the fixture project as the context of a build."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "projects" / "tiny"
FRONT_END = ("setup.py", "tools/__init__.py", "cmake/Options.cmake", "cmake/Codegen.cmake")
FRONT_END_FOLDERS = ("tools/base", "tools/setup_helpers", "tools/insight", "cmake/Modules")


@dataclass(frozen=True)
class Engine:
    """A container engine; builds and containers use the host's network, which every engine has."""

    docker: str
    base: str

    def call(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run docker and return both streams as one."""
        return subprocess.run(
            [self.docker, *arguments],
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def run(self, image: str, *command: str, options: tuple[str, ...] = (), code: int = 0) -> str:
        result = self.call("run", "--rm", "--network", "host", *options, image, *command)
        assert result.returncode == code, result.stdout
        return result.stdout

    def build(
        self, context: Path, *arguments: str, code: int = 0, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the build script of a context."""
        result = subprocess.run(
            [str(context / "docker/build.sh"), *arguments, "--network", "host"],
            env={**os.environ, "DOCKER": self.docker, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == code, result.stdout + result.stderr
        return result

    def megabytes(self, image: str) -> float:
        size = self.call("image", "inspect", "--format", "{{.Size}}", image).stdout
        return int(size) / 1e6


def chown_all(folder: Path, user: int) -> int:
    """Give a folder to a user, if this process may do so; return the user who owns it."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user, user)
    return folder.stat().st_uid


def make_context(folder: Path, kept: str = "torchsmith-test") -> Path:
    """Lay out the fixture project with the front end and docker/, without git, as an unpacked archive.

    `kept` names the build directory that the engine keeps between builds. It must not be the one of the
    project that is built here every day.
    """
    unwanted = shutil.ignore_patterns("__pycache__", "build", "dist", "*.so")
    shutil.copytree(TINY, folder, ignore=unwanted)
    for name in (*FRONT_END_FOLDERS, "docker"):
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
    for name in (*FRONT_END, ".dockerignore"):
        shutil.copy(ROOT / name, folder / name)
    dockerfile = folder / "docker/Dockerfile"
    text = dockerfile.read_text(encoding="utf-8")
    dockerfile.write_text(text.replace("id=torchsmith-build", f"id={kept}"), encoding="utf-8")
    return folder


def pip_files() -> tuple[str, ...]:
    """Return the options that give a container the files that this machine's pip was given."""
    given = (("PIP_CERT", "/ca.crt"), ("PIP_CONSTRAINT", "/constraints.txt"))
    options: list[str] = []
    for name, place in given:
        if file := os.environ.get(name, ""):
            options += ["--volume", f"{file}:{place}:ro", "--env", f"{name}={place}"]
    return tuple(options)


def copy_sources(folder: Path) -> Path:
    """Copy the files of this checkout that git tracks; without git, all but what builds made."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if tracked.returncode:
        unwanted = ("build", "build-*", "dist", ".venv*", ".staged", "__pycache__", "*.so")
        return Path(shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*unwanted)))
    for name in filter(None, tracked.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder
