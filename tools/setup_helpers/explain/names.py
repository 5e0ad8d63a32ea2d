"""What a word of a person means in a build graph: something that a command makes, or a file that one reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .outlook import Outlook


def outputs_named(outlook: Outlook, word: str) -> list[str]:
    """By a path, a file name, a source, a library's name: the first of these that fits any."""
    known = known_outputs(outlook)
    ways = (
        lambda output: output in (word, os.path.relpath(word, outlook.build_dir)),
        lambda output: output.endswith((f"/{word}", f"/{word}.o")),
        lambda output: Path(output).name.split(".")[0] in (f"lib{word}", word),
    )
    for way in ways:
        if found := [output for output in known if way(output)]:
            return found
    return []


def known_outputs(outlook: Outlook) -> list[str]:
    """Of every command."""
    return [o for edge in outlook.graph.edges if edge.rule != "phony" for o in edge.outputs]


def files_named(outlook: Outlook, word: str, paths: Iterable[str]) -> list[str]:
    """Of these paths from the source root: the one that is meant, or those that end in it."""
    inside = os.path.relpath(word, outlook.config.root)
    known = list(paths)
    exact = [path for path in known if path in (word, inside)]
    return exact or [path for path in known if path.endswith(f"/{word}")]


def shown(output: str) -> str:
    """CMake's object paths as source and target."""
    folder, _, source = output.partition(".dir/")
    if source and folder.startswith("CMakeFiles/"):
        return f"{source.removesuffix('.o')} ({folder.removeprefix('CMakeFiles/')})"
    return output
