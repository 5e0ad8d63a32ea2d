"""How each object of the tree is compiled, and the same command for another purpose."""

from __future__ import annotations

import json
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
    """One compilation without its input, output, and what it writes for Ninja."""

    output: str
    """Relative to the build directory, as Ninja names it."""
    source: Path
    folder: Path
    compiler: str
    flags: tuple[str, ...]

    def line(self, *extra: str, source: str = "") -> list[str]:
        """The command with other arguments; of its own source when no other is named."""
        return [self.compiler, *self.flags, *extra, source or str(self.source)]


def read_commands(build_dir: Path) -> dict[str, CompileCommand]:
    """Output -> command, of C and C++; nothing when the tree is not configured."""
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
    """From the compiler on: a cache in front of it would answer in its place."""
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
