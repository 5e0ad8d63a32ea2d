"""The longest chain of commands that had to wait for each other."""

from __future__ import annotations

from collections.abc import Mapping

from tools.setup_helpers.ninja.build_graph import BuildGraph


def critical_path(graph: BuildGraph, seconds: Mapping[str, float]) -> list[str]:
    """Return the outputs on the critical path, from first to last.

    `seconds` holds the duration of each command that ran; others count as 0. With any number of
    cores the build takes at least the sum along this path.
    """
    longest: dict[str, tuple[float, str]] = {}
    for output in _inputs_first(graph):
        edge = graph.makers[output]
        before = max(
            (path for path in (*edge.inputs, *edge.order_only) if path in longest),
            key=lambda path: longest[path][0],
            default="",
        )
        start = longest[before][0] if before else 0.0
        longest[output] = (start + seconds.get(output, 0.0), before)
    if not longest:
        return []
    path = [max(longest, key=lambda output: longest[output][0])]
    while before := longest[path[-1]][1]:
        path.append(before)
    return [output for output in reversed(path) if output in seconds]


def _inputs_first(graph: BuildGraph) -> list[str]:
    """Sort outputs so that each follows its inputs; Ninja rejects cycles, so there are none."""
    order: dict[str, None] = {}
    for first in graph.makers:
        pending = [first]
        while pending:
            output = pending[-1]
            edge = graph.makers[output]
            waiting = [
                path
                for path in (*edge.inputs, *edge.order_only)
                if path in graph.makers and path not in order
            ]
            if waiting and output not in order:
                pending += waiting
            else:
                order.setdefault(pending.pop())
    return list(order)
