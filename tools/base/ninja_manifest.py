"""Read and change the edges of build.ninja, and report a step's dependencies to Ninja."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .atomic import write_if_changed
from .store import build_file

NAME = build_file("build.ninja")
_EDGE = re.compile(
    r"^build (?P<head>(?:[^:$\n]|\$.)+): (?P<rest>.*)\n(?P<body>(?:[ ]+.*\n)*)", re.M
)
_WORD = re.compile(r"(?:[^ $]|\$.)+")
_VARIABLE = re.compile(r"^[ ]+(\w+) = (.*)$", re.M)
_ABSOLUTE_LIBRARY = re.compile(r"/.*\.(?:so[.0-9]*|a)")
_SPECIAL = re.compile(r"([ #])|(\$)")


@dataclass(frozen=True)
class Edge:
    """One command of the graph; paths are relative to the build directory, as in build.ninja."""

    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    """Explicit, implicit and order-only ones."""
    variables: dict[str, str]
    """Values as written, with Ninja's `$` escapes."""


def read_edges(build_dir: Path) -> Iterator[Edge]:
    """Yield all edges; none if there is no graph."""
    try:
        text = (build_dir / NAME).read_text()
    except OSError:
        return
    for match in _EDGE.finditer(text):
        inputs = _paths(match["rest"])[1:]  # the first word is the rule
        yield Edge(_paths(match["head"]), inputs, dict(_VARIABLE.findall(match["body"])))


def libraries_of(build_dir: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the outputs that link libraries by absolute paths, with these paths."""
    for edge in read_edges(build_dir):
        if linked := [path for path in edge.inputs if _ABSOLUTE_LIBRARY.fullmatch(path)]:
            yield from ((output, linked) for output in edge.outputs)


def pools(build_dir: Path) -> dict[str, str]:
    """Return the pool of each output that is in one."""
    return {
        output: edge.variables["pool"]
        for edge in read_edges(build_dir)
        if "pool" in edge.variables
        for output in edge.outputs
    }


def variable(build_dir: Path, output: str, name: str) -> str | None:
    """Return the value of a variable of the edge that makes `output`."""
    edge = next((e for e in read_edges(build_dir) if output in e.outputs), None)
    return edge.variables.get(name) if edge else None


def set_variable(build_dir: Path, output: str, name: str, value: str) -> None:
    """Change one variable of the edge that makes `output`, and no other byte."""
    path = build_dir / NAME
    text = path.read_text()
    for match in _EDGE.finditer(text):
        if output in _paths(match["head"]):
            row = re.compile(rf"^([ ]+{name} = ).*$", re.M)
            body = row.sub(lambda found: found[1] + value, match["body"], count=1)
            changed = text[: match.start("body")] + body + text[match.end("body") :]
            write_if_changed(path, changed.encode())
            return


def _paths(words: str) -> tuple[str, ...]:
    names = _WORD.findall(words.replace(" || ", " ").replace(" | ", " "))
    return tuple(re.sub(r"\$(.)", r"\1", name) for name in names)


def finish_step(build_dir: Path, stamp: str, dependencies: Iterable[str]) -> None:
    """Write STAMP.d in the format of a compiler's dependency file, and date the step's stamp.

    Dependencies are absolute paths. They may include files that the step wrote, and folders, which change
    when a file is added or removed. Absent ones are left out, because Ninja takes them for changed.
    """
    there = sorted(path for path in set(dependencies) if os.path.lexists(path))
    lines = "".join(f" \\\n  {_escape(path)}" for path in there)
    (build_dir / f"{stamp}.d").write_text(f"{stamp}:{lines}\n", encoding="utf-8")
    (build_dir / stamp).touch()


def _escape(path: str) -> str:
    return _SPECIAL.sub(lambda match: "$$" if match[2] else f"\\{match[1]}", path)
