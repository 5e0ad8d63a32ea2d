"""Code generation as a step of the build graph: see cmake/Codegen.cmake.

Ninja runs the step when a file that the stages read or wrote is newer than its stamp. The front end
generates code before it starts Ninja and then dates the stamp, so that Ninja has nothing left to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.base.generation import read_records
from tools.base.globs import searched_folders
from tools.base.ninja_log import log_time
from tools.base.ninja_manifest import finish_step
from tools.base.store import build_file

from ..table.config import Config

STAMP = build_file("codegen.stamp")
build_file(f"{STAMP}.d")


@dataclass(frozen=True)
class _Folder:
    """A folder's time and the names in it, without the bytecode folder that an import creates."""

    time: int
    names: frozenset[str]

    @staticmethod
    def look(folder: str) -> _Folder:
        time = os.stat(
            folder
        ).st_mtime_ns  # before the names: a file added between them looks newer
        return _Folder(time, frozenset(os.listdir(folder)) - {"__pycache__"})

    def unless_changed(self, folder: str) -> int:
        """Return the folder's present time if it holds the same names, and else its earlier time."""
        now = _Folder.look(folder)
        return now.time if now.names == self.names else self.time


class GraphStep:
    """The step around one run of the stages: create it before they run, and end it after."""

    def __init__(self, config: Config, build_dir: Path) -> None:
        self._config = config
        self._build_dir = build_dir
        patterns = [pattern for stage in config.stages for pattern in stage.inputs]
        folders = searched_folders(config.root, patterns)
        # Taken before the stages read the folders, so that a file added meanwhile is left to the next run.
        self._folders = {folder: _Folder.look(folder) for folder in folders}
        self._known = dict(self._files())

    def end(self) -> None:
        """Write the stamp and its dependencies, when Ninja runs the step."""
        paths = [path for path, _ in self._files()]
        finish_step(self._build_dir, STAMP, [*paths, *self._folders])

    def date_stamp(self) -> None:
        """Date the step in Ninja's log after the front end generated code.

        If files were added or removed, the step keeps its time and Ninja runs it. The stamp itself is not
        touched: Ninja takes dependencies for outdated that it recorded before their output's time, and
        for a step that may leave its outputs unchanged it compares inputs with the log.
        """
        files = dict(self._files())
        if files.keys() != self._known.keys() or not (self._build_dir / STAMP).exists():
            return
        folders = (before.unless_changed(name) for name, before in self._folders.items())
        log_time(
            self._build_dir,
            {STAMP, f"{self._build_dir}/{STAMP}"},
            max([*files.values(), *folders], default=0),
        )

    def _files(self) -> Iterator[tuple[str, int]]:
        """Yield the absolute paths of all inputs and outputs, with their recorded times."""
        for record in read_records(self._build_dir).values():
            yield from ((f"{self._config.root}/{p}", row[1]) for p, row in record["inputs"].items())
            yield from ((f"{self._build_dir}/{p}", row[1]) for p, row in record["outputs"].items())
