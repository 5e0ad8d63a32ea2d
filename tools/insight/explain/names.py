"""Find what a name on the command line refers to: an output of the build graph, or a file that it reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .outlook import Outlook


def outputs_named(outlook: Outlook, word: str) -> list[str]:
    """Return the outputs that match a path, a file name, a source or a library name, tried in this order."""
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
    """Return the outputs of all commands."""
    return [o for edge in outlook.graph.edges if edge.rule != "phony" for o in edge.outputs]


def files_named(outlook: Outlook, word: str, paths: Iterable[str]) -> list[str]:
    """Return the path that equals the word, or all paths that end in it.

    `paths` are relative to the source root.
    """
    inside = os.path.relpath(word, outlook.config.root)
    known = list(paths)
    exact = [path for path in known if path in (word, inside)]
    return exact or [path for path in known if path.endswith(f"/{word}")]


def shown(output: str) -> str:
    """Return an output for display, with CMake's object paths as source and target."""
    folder, _, source = output.partition(".dir/")
    if source and folder.startswith("CMakeFiles/"):
        return f"{source.removesuffix('.o')} ({folder.removeprefix('CMakeFiles/')})"
    return output
