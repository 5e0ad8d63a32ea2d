"""Read the compile command of each object, and derive other commands from it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NAME = "compile_commands.json"
_SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx")
_WITH_VALUE = frozenset({"-o", "-MF", "-MT", "-MQ"})
_ALONE = frozenset({"-c", "-MD", "-MMD"})


@dataclass(frozen=True)
class CompileCommand:
    """A compilation without its input, its outputs and the dependency file for Ninja."""

    output: str
    """Relative to the build directory, as Ninja names it."""
    source: Path
    folder: Path
    compiler: str
    flags: tuple[str, ...]

    def line(self, *extra: str, source: str = "") -> list[str]:
        """Return the command with more arguments, for another source if one is given."""
        return [self.compiler, *self.flags, *extra, source or str(self.source)]


def read_commands(build_dir: Path) -> dict[str, CompileCommand]:
    """Return output -> command for C and C++; empty if the tree is not configured."""
    try:
        rows = json.loads((build_dir / NAME).read_bytes())
    except (OSError, ValueError):
        return {}
    commands = (_command(Path(row["directory"]), row["file"], row["command"]) for row in rows)
    return {command.output: command for command in commands if command}


def _command(folder: Path, source: str, text: str) -> CompileCommand | None:
    words = shlex.split(text)
    if "-o" not in words or not source.endswith(_SOURCE_SUFFIXES):
        return None
    output = words[words.index("-o") + 1]
    compiler, *arguments = _without_launcher(words)
    kept = tuple(_kept(arguments, source))
    return CompileCommand(output, Path(source), folder, compiler, kept)


def _without_launcher(words: Sequence[str]) -> Sequence[str]:
    """Drop a compiler cache before the compiler, so that the compiler really runs."""
    first_flag = next(i for i, word in enumerate(words) if word.startswith("-"))
    return words[first_flag - 1 :]


def _kept(arguments: Sequence[str], source: str) -> list[str]:
    kept = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument in _WITH_VALUE:
            next(waiting, None)
        elif argument not in _ALONE and argument != source:
            kept.append(argument)
    return kept


def from_root(path: str, root: Path, build_dir: Path) -> str:
    """Return a tool's path (absolute, or relative to the build directory) relative to the root.

    A path outside the root is returned as an absolute path.
    """
    whole = os.path.normpath(build_dir / path)
    inside = os.path.relpath(whole, root)
    return whole if inside.startswith("..") else inside
