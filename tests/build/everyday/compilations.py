"""The inputs of each object file, to distinguish necessary compilations from needless ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .file_states import FileStates, Observer

_COMPILER = re.compile(r"(^|/)(cc|c\+\+|gcc|g\+\+)(-\d+)?$")


@dataclass(frozen=True)
class _Origin:
    command: str
    contents: Mapping[str, str]
    """Digest of each file of the checkout or the build directory that was compiled, by path."""


@dataclass
class Compilations:
    """The objects of one build directory. An object of unknown origin may always be recompiled."""

    root: Path
    build_dir: Path
    observer: Observer
    _origins: dict[str, _Origin] = field(default_factory=dict)
    _unlogged: set[str] = field(default_factory=set)

    def forget(self, objects: Iterable[str]) -> None:
        """Drop the origins of these objects, because their inputs are not known any more."""
        for name in objects:
            self._origins.pop(name, None)

    def forget_unlogged(self) -> None:
        """Forget objects that Ninja built on its own: the front end's copies of the logs lack them."""
        self.forget(self._unlogged)

    def forget_readers(self, path: Path) -> None:
        """Forget the objects that include this file: a failed build may have compiled another version."""
        readers = (name for name, origin in self._origins.items() if str(path) in origin.contents)
        self.forget([*readers])

    def known(self, objects: Iterable[str]) -> list[str]:
        """Return those of the objects whose origin is known."""
        return [name for name in objects if name in self._origins]

    def forget_absent(self) -> None:
        """Forget objects that the current build no longer has, so that they may be compiled later."""
        commands = self._commands()
        self.forget([name for name in self._origins if name not in commands])

    def outdated(self, objects: FileStates) -> set[str]:
        """Return the objects that are older than one of their inputs, which Ninja recompiles."""
        return {
            name
            for name, origin in self._origins.items()
            if name in objects
            and any(_mtime(path) > objects[name].mtime for path in origin.contents)
        }

    def needless(
        self, before: FileStates, after: FileStates, outdated: set[str], *, alone: bool
    ) -> list[str]:
        """Return the objects that were recompiled although neither command nor inputs changed.

        When Ninja runs `alone` it compares times, so recompiling `outdated` objects is legitimate.
        The same holds for objects that Ninja compiled last on its own, since the front end does not
        know the contents of their inputs.
        """
        commands = self._commands()
        found = []
        for name in rewritten(before, after):
            origin = self._origins.get(name)
            if origin is None or origin.command != commands.get(name):
                continue
            stale_by_time = name in outdated and (alone or name in self._unlogged)
            contents = origin.contents.items()
            if not stale_by_time and all(self._text(path) == content for path, content in contents):
                found.append(name)
        return found

    def record(self, before: FileStates, after: FileStates, *, logged: bool) -> None:
        """Record the inputs of this build's objects. No input may have changed during the build.

        `logged` is true if the front end ran Ninja and has a copy of its logs.
        """
        made = [name for name in after if name not in before or before[name] != after[name]]
        self._unlogged = set() if logged else self._unlogged | {*made}
        if not made:
            return
        commands, files = self._commands(), self._files()
        for name in made:
            self._origins.pop(name, None)
            if name in commands and name in files:
                contents = {path: self._text(path) for path in files[name]}
                self._origins[name] = _Origin(commands[name], contents)

    def _text(self, path: str) -> str:
        """Return the content of a source. A generated file also counts as changed when it is rewritten
        with the same bytes; needless rewrites are checked elsewhere.
        """
        if path.startswith(f"{self.build_dir}/") and os.path.exists(path):
            return f"{self.observer.content(path)} {os.stat(path).st_mtime_ns}"
        return self.observer.content(path)

    def _commands(self) -> dict[str, str]:
        try:
            rows = json.loads((self.build_dir / "compile_commands.json").read_text("utf-8"))
        except OSError:
            return {}
        commands = (row["command"] for row in rows)
        return {
            command.split(" -o ")[1].split(" ")[0]: _normalize_compiler(command)
            for command in commands
        }

    def _files(self) -> dict[str, list[str]]:
        """Return the files of the checkout that each object includes, as Ninja recorded them."""
        command = ["ninja", "-C", str(self.build_dir), "-t", "deps"]
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        files: dict[str, list[str]] = {}
        for line in output.splitlines():
            if not line.startswith(" "):
                name = line.partition(":")[0]
            elif line.strip():
                path = os.path.normpath(self.build_dir / line.strip())
                if path.startswith((f"{self.root}/", f"{self.build_dir}/")):
                    files.setdefault(name, []).append(path)
        return files


def rewritten(before: FileStates, after: FileStates) -> list[str]:
    """Return the files that exist in both and were rewritten in between."""
    both = before.keys() & after.keys()
    return sorted(path for path in both if before[path].write_stamp != after[path].write_stamp)


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0


def _normalize_compiler(command: str) -> str:
    """Resolve the compiler's name: cc, gcc and /usr/bin/gcc are the same program."""
    words = command.split(" ")
    return " ".join(
        os.path.realpath(shutil.which(word) or word) if _COMPILER.search(word) else word
        for word in words
    )
