"""What each object was compiled from, to tell a compilation that was due from one that was not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .looks import Looks, Observer

_COMPILER = re.compile(r"(^|/)(cc|c\+\+|gcc|g\+\+)(-\d+)?$")


@dataclass(frozen=True)
class _Origin:
    command: str
    contents: Mapping[str, str]
    """Path to digest of every file of the checkout or the build directory that it was compiled from."""


@dataclass
class Compilations:
    """The objects of one build directory. One without an origin may always be compiled again."""

    root: Path
    build_dir: Path
    observer: Observer
    _origins: dict[str, _Origin] = field(default_factory=dict)
    _unlogged: set[str] = field(default_factory=set)

    def forget(self, objects: Iterable[str]) -> None:
        """Nobody knows which version of their sources these were compiled from."""
        for name in objects:
            self._origins.pop(name, None)

    def forget_unlogged(self) -> None:
        """The front end keeps copies of Ninja's logs, which end with what it built itself."""
        self.forget(self._unlogged)

    def forget_readers(self, path: Path) -> None:
        """A failed build may have compiled another text of this file."""
        readers = (name for name, origin in self._origins.items() if str(path) in origin.contents)
        self.forget([*readers])

    def known(self, objects: Iterable[str]) -> list[str]:
        """Those that have an origin."""
        return [name for name in objects if name in self._origins]

    def forget_absent(self) -> None:
        """What a build does without is new to the build that has it again."""
        commands = self._commands()
        self.forget([name for name in self._origins if name not in commands])

    def outdated(self, objects: Looks) -> set[str]:
        """The objects that are older than a file that they were compiled from: what Ninja compiles."""
        return {
            name
            for name, origin in self._origins.items()
            if name in objects
            and any(_mtime(path) > objects[name].mtime for path in origin.contents)
        }

    def needless(
        self, before: Looks, after: Looks, outdated: set[str], *, alone: bool
    ) -> list[str]:
        """The objects compiled again though neither their command nor any of their files changed.

        Ninja `alone` goes by times: what was `outdated` before the build was due. So it was if Ninja
        alone had compiled it last, since the front end does not know from which text.
        """
        commands = self._commands()
        found = []
        for name in rewritten(before, after):
            origin = self._origins.get(name)
            if origin is None or origin.command != commands.get(name):
                continue
            by_times = name in outdated and (alone or name in self._unlogged)
            contents = origin.contents.items()
            if not by_times and all(self._text(path) == content for path, content in contents):
                found.append(name)
        return found

    def learn(self, before: Looks, after: Looks, *, logged: bool) -> None:
        """Note what the objects of this build were compiled from; nothing was edited meanwhile.

        `logged` says that the front end ran Ninja, and has a copy of its logs.
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
        """Of a source its content. A generated file counts as another once it was written again: that
        it was not written in vain is looked at elsewhere.
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
            command.split(" -o ")[1].split(" ")[0]: _one_spelling(command) for command in commands
        }

    def _files(self) -> dict[str, list[str]]:
        """What each object includes, as Ninja recorded it; nothing outside the checkout."""
        command = ["ninja", "-C", str(self.build_dir), "-t", "deps"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        files: dict[str, list[str]] = {}
        for line in said.splitlines():
            if not line.startswith(" "):
                name = line.partition(":")[0]
            elif line.strip():
                path = os.path.normpath(self.build_dir / line.strip())
                if path.startswith((f"{self.root}/", f"{self.build_dir}/")):
                    files.setdefault(name, []).append(path)
        return files


def rewritten(before: Looks, after: Looks) -> list[str]:
    """Files that were written again; what came or went is not among them."""
    both = before.keys() & after.keys()
    return sorted(path for path in both if before[path].writing != after[path].writing)


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0


def _one_spelling(command: str) -> str:
    """cc, gcc and /usr/bin/gcc are the same program."""
    words = command.split(" ")
    return " ".join(
        os.path.realpath(shutil.which(word) or word) if _COMPILER.search(word) else word
        for word in words
    )
