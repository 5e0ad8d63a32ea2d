"""Read and change the edges of build.ninja, and report a step's dependencies to Ninja."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
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
_LIBRARY_SUFFIX = re.compile(r"\.(?:so[.0-9]*|a)(?: |$)")
_SPECIAL = re.compile(r"([ #])|(\$)")


class Edge:
    """One command of the graph, parsed as far as it is asked for; paths are as in build.ninja."""

    def __init__(self, match: re.Match[str]) -> None:
        self._match = match

    @property
    def rule(self) -> str:
        return self._match["rest"].partition(" ")[0]

    @property
    def outputs(self) -> tuple[str, ...]:
        return _paths(self._match["head"])

    @property
    def inputs(self) -> tuple[str, ...]:
        """Explicit, implicit and order-only ones."""
        return _paths(self._match["rest"])[1:]

    @property
    def variables(self) -> dict[str, str]:
        """Values as written, with Ninja's `$` escapes."""
        return dict(_VARIABLE.findall(self._match["body"]))

    @property
    def may_link(self) -> bool:
        """Whether an input looks like a library; asking is cheaper than parsing all inputs."""
        return _LIBRARY_SUFFIX.search(self._match["rest"]) is not None


def read_edges(build_dir: Path) -> Iterator[Edge]:
    """Yield all edges; none if there is no graph."""
    try:
        text = _read(build_dir)
    except OSError:
        return
    yield from map(Edge, _EDGE.finditer(text))


def libraries_of(build_dir: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the outputs that link libraries by absolute paths, with these paths."""
    for edge in read_edges(build_dir):
        inputs = edge.inputs if edge.may_link else ()
        if linked := [path for path in inputs if _ABSOLUTE_LIBRARY.fullmatch(path)]:
            yield from ((output, linked) for output in edge.outputs)


def pools(build_dir: Path) -> dict[str, str]:
    """Return the pool of each output that is in one."""
    found = {}
    for edge in read_edges(build_dir):
        if pool := edge.variables.get("pool"):
            found.update(dict.fromkeys(edge.outputs, pool))
    return found


def variable(build_dir: Path, output: str, name: str) -> str | None:
    """Return the value of a variable of the edge that makes `output`."""
    edge = next((e for e in read_edges(build_dir) if output in e.outputs), None)
    return edge.variables.get(name) if edge else None


def set_variable(build_dir: Path, output: str, name: str, value: str) -> None:
    """Change one variable of the edge that makes `output`, and no other byte."""
    path = build_dir / NAME
    text = _read(build_dir)
    for match in _EDGE.finditer(text):
        if output in _paths(match["head"]):
            row = re.compile(rf"^([ ]+{name} = ).*$", re.M)
            body = row.sub(lambda found: found[1] + value, match["body"], count=1)
            changed = text[: match.start("body")] + body + text[match.end("body") :]
            write_if_changed(path, changed.encode("utf-8", "surrogateescape"))
            return


def _read(build_dir: Path) -> str:
    return (build_dir / NAME).read_bytes().decode("utf-8", "surrogateescape")


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
