"""The build graph as Ninja reports it: the edges with their inputs and outputs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.base.process import run

_NODE = re.compile(r'"(\w+)" \[label="([^"]*)"(, shape=ellipse)?\]')
_ARROW = re.compile(r'"(\w+)" -> "(\w+)"(?: \[(?:label=" ([^"]*)")?(.*)\])?')


@dataclass(frozen=True)
class Edge:
    """One command of the graph."""

    rule: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    """A change to any of these makes the edge run."""
    order_only: tuple[str, ...] = ()
    """These only have to exist before the edge runs."""


@dataclass(frozen=True)
class BuildGraph:
    """The edges of some targets and of everything they need."""

    edges: tuple[Edge, ...]

    @cached_property
    def makers(self) -> dict[str, Edge]:
        """Output -> the edge that builds it."""
        return {output: edge for edge in self.edges for output in edge.outputs}

    @cached_property
    def users(self) -> dict[str, list[Edge]]:
        """Input -> the edges that run after a change to it."""
        users = defaultdict(list)
        for edge in self.edges:
            for path in edge.inputs:
                users[path].append(edge)
        return dict(users)


def read_graph(ninja: str, build_dir: Path, targets: Iterable[str]) -> BuildGraph:
    """Ask Ninja for the graph; return an empty one if there is none."""
    finished = run([ninja, "-C", str(build_dir), "-t", "graph", *targets])
    return parse_graph(finished.output if finished.code == 0 else "")


def parse_graph(text: str) -> BuildGraph:
    """Parse `ninja -t graph`, which draws an edge with one input and one output as a labelled arrow.

    An output that no target needs has an arrow but no name, and is left out.
    """
    paths: dict[str, str] = {}
    rules: dict[str, str] = {}
    direct: list[tuple[str, str, str]] = []
    arrows: list[tuple[str, str, bool]] = []
    for line in text.splitlines():
        if node := _NODE.match(line):
            (rules if node[3] else paths)[node[1]] = node[2]
        elif arrow := _ARROW.match(line):
            if arrow[3] is not None:
                direct.append((arrow[1], arrow[2], arrow[3].strip()))
            else:
                arrows.append((arrow[1], arrow[2], "dotted" in (arrow[4] or "")))
    outputs, inputs, order_only = _by_edge(arrows, rules)
    edges = [
        Edge(
            rule,
            tuple(paths[node] for node in outputs[edge] if node in paths),
            tuple(paths[node] for node in inputs[edge]),
            tuple(paths[node] for node in order_only[edge]),
        )
        for edge, rule in rules.items()
    ]
    edges += [Edge(rule, (paths[to],), (paths[source],)) for source, to, rule in direct]
    return BuildGraph(tuple(edges))


def _by_edge(
    arrows: Iterable[tuple[str, str, bool]], rules: Iterable[str]
) -> tuple[defaultdict[str, list[str]], ...]:
    """Sort the arrows into those out of each edge, those into it, and dotted ones into it."""
    outputs: defaultdict[str, list[str]] = defaultdict(list)
    inputs: defaultdict[str, list[str]] = defaultdict(list)
    order_only: defaultdict[str, list[str]] = defaultdict(list)
    known = set(rules)
    for start, end, dotted in arrows:
        if start in known:
            outputs[start].append(end)
        else:
            (order_only if dotted else inputs)[end].append(start)
    return outputs, inputs, order_only
