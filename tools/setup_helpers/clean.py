"""Deleting what a build made: by its own records, never by a pattern over the source tree."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from .errors import BuildError
from .file_manager import remove_with_empty_parents
from .generation import recorded_outputs
from .lock import NAME as LOCK
from .lock import BuildLock, command_line
from .staging import read_manifest

# What CMake, Ninja and the front end keep in the build directory beside the graph's outputs.
_OWN_FILES = (
    "CMakeCache.txt",
    "build.ninja",
    "cmake_install.cmake",
    "compile_commands.json",
    "codegen.json",
    "configure.json",
    "empty.c",
    "generated_sources.cmake",
    "graph_records.json",
    "inputs.json",
    "logs/build.log",
    "logs/configure.log",
    "logs/failure.json",
    "manifest.json",
    "memory.json",
    "mitigated.json",
    "options.cmake",
    "options.json",
    "package_plan.json",
    "report.html",
    "report.json",
    "sources.json",
    "stage.stamp",
    "state.json",
    "trace.json",
    ".ninja_log",
    ".ninja_deps",
    ".ninja_lock",
)
_OWN_FOLDERS = ("CMakeFiles", "third_party")


def clean_tree(root: Path, build_dir: Path) -> str:
    """Returns what was done, in words."""
    if not build_dir.exists():
        return "nothing to delete"
    with BuildLock(str(build_dir), command_line()):
        count = _remove_staged(root, build_dir)
        _remove_outputs(build_dir)
        _remove_generated(build_dir)
        for name in _OWN_FOLDERS:
            shutil.rmtree(build_dir / name, ignore_errors=True)
        for name in _OWN_FILES:
            (build_dir / name).unlink(missing_ok=True)
        _remove_empty_folders(build_dir)
        (build_dir / LOCK).unlink(missing_ok=True)
    kept = sorted(p.name for p in build_dir.iterdir()) if build_dir.exists() else []
    if not kept:
        build_dir.rmdir()
        return f"{build_dir.name}/ and {count} staged files deleted"
    return f"{count} staged files deleted; kept what no build made: {', '.join(kept)}"


def _remove_staged(root: Path, build_dir: Path) -> int:
    staged = read_manifest(build_dir)
    for path in staged:
        remove_with_empty_parents(root / path, root)
    return len(staged)


def _remove_outputs(build_dir: Path) -> None:
    """Ninja knows every output of the graph."""
    if not (build_dir / "build.ninja").exists():
        return
    ninja = _cached(build_dir, "CMAKE_MAKE_PROGRAM") or "ninja"
    try:
        result = subprocess.run(
            [ninja, "-t", "clean"], cwd=build_dir, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise BuildError(f"cannot run {ninja}", str(error), exit_code=3) from error
    if result.returncode:
        raise BuildError("ninja could not clean", result.stdout + result.stderr)


def _cached(build_dir: Path, name: str) -> str:
    try:
        for line in (build_dir / "CMakeCache.txt").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return line.partition("=")[2]
    except OSError:
        pass
    return ""


def _remove_generated(build_dir: Path) -> None:
    for path in recorded_outputs(build_dir):
        remove_with_empty_parents(build_dir / path, build_dir)


def _remove_empty_folders(folder: Path) -> None:
    for child in list(folder.iterdir()):
        if child.is_dir() and not child.is_symlink():
            _remove_empty_folders(child)
            if not any(child.iterdir()):
                child.rmdir()
