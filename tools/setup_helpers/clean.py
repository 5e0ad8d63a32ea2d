"""Deleting what a build made: by its own records, never by a pattern, and never through a link."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .code_generation.generation import recorded_outputs
from .graph import handover
from .graph.cmake_cache import read_cache
from .package.contents import editable_files
from .package.manifest import staged_files
from .table.config import Config
from .tree.leftovers import remove_leftovers
from .tree.lock import NAME as LOCK
from .tree.lock import BuildLock, command_line
from .tree.made_files import NAME as MADE_FILES
from .tree.made_files import made_files
from .tree.ninja_log import read_entries
from .tree.walk import files_below

# What CMake, Ninja and the front end keep in the build directory beside the graph's outputs.
_OWN_FILES = (
    "CMakeCache.txt",
    "CMakeFiles/cache_values.txt",
    "audit.json",
    "build.ninja",
    "cmake_install.cmake",
    "compile_commands.json",
    "codegen.json",
    "configure.json",
    "empty.c",
    handover.LOCK,
    handover.PENDING,
    "generated_sources.cmake",
    "graph_records.json",
    "last_build.json",
    "last_state.json",
    "logs/build.log",
    "logs/compiler_cache.log",
    "logs/configure.log",
    "logs/failure.json",
    MADE_FILES,
    "manifest.json",
    "memory.json",
    "mitigated.json",
    "options.cmake",
    "options.json",
    "package_plan.json",
    "programs.json",
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
# Of what is kept, a message names this many.
_SHOWN = 8


@dataclass
class _Broom:
    """Deletes below one folder, and counts."""

    base: Path
    deleted: int = 0
    kept: list[str] = field(default_factory=list)
    """What lies behind a link, or is one that leads out."""

    def sweep(self, paths: Iterable[str]) -> None:
        """Paths relative to the base; the folders that this leaves empty go too."""
        for path in sorted(paths, reverse=True):
            place = self.base / path
            if ".." in Path(path).parts or any(
                parent.is_symlink() for parent in self._above(place)
            ):
                self.kept.append(path)
            elif path.endswith("/"):
                self._remove_empty(place)
            elif place.is_symlink() and self.base not in place.resolve().parents:
                self.kept.append(path)
            elif place.is_symlink() or place.is_file():
                place.unlink()
                self.deleted += 1
            for parent in self._above(place):
                if not self._remove_empty(parent):
                    break

    def _above(self, place: Path) -> Iterator[Path]:
        """The folders between a file and the base, the innermost first."""
        for parent in place.parents:
            if parent == self.base:
                return
            yield parent

    @staticmethod
    def _remove_empty(folder: Path) -> bool:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def clean_tree(config: Config, build_dir: Path) -> str:
    """Returns what was done, in words."""
    root = config.root
    if not build_dir.exists():
        return "nothing to delete"
    with BuildLock(str(build_dir), command_line()):
        staged = staged_files(root, build_dir, editable_files(config, build_dir))
        remove_leftovers(root, files_below(build_dir), [file.path for file in staged])
        package = _Broom(root)
        package.sweep(file.path for file in staged if file.is_ours)
        package.kept += [file.path for file in staged if file.is_changed]
        products = _Broom(build_dir)
        products.sweep({*_graph_outputs(build_dir), *recorded_outputs(build_dir)})
        products.sweep(made_files(build_dir))
        products.sweep(_OWN_FILES)
        (build_dir / LOCK).unlink(missing_ok=True)
    kept = package.kept + [f"{build_dir.name}/{name}" for name in _top(build_dir)]
    if not any(build_dir.iterdir()) and not build_dir.is_symlink():
        build_dir.rmdir()
    done = (
        f"{products.deleted} files of {build_dir.name}/ and {package.deleted} staged files deleted"
    )
    more = f" and {len(kept) - _SHOWN} more" if len(kept) > _SHOWN else ""
    return f"{done}; kept what no build made: {', '.join(kept[:_SHOWN])}{more}" if kept else done


def _top(build_dir: Path) -> list[str]:
    return sorted(path.name for path in build_dir.iterdir())


def _graph_outputs(build_dir: Path) -> set[str]:
    """What Ninja would make here, and what it made once."""
    made = {entry.output for entry in read_entries(build_dir)} | _planned_outputs(build_dir)
    prefix = f"{build_dir}/"
    return {path.removeprefix(prefix) for path in made if path[0] != "/" or path.startswith(prefix)}


def _planned_outputs(build_dir: Path) -> set[str]:
    """By the graph; none when it cannot be read, for the log remembers those that were made."""
    ninja = read_cache(build_dir).get("CMAKE_MAKE_PROGRAM", "ninja")
    try:
        command = [ninja, "-t", "targets", "all"]
        result = subprocess.run(command, cwd=build_dir, capture_output=True, text=True, check=False)
    except OSError:
        return set()
    rows = (line.rpartition(": ") for line in result.stdout.splitlines())
    return {output for output, _, rule in rows if output and rule != "phony"}
