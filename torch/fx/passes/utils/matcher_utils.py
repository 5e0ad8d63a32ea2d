"""Find the places in a graph that have the form of a pattern."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx.graph import Graph
from torch.fx.node import Node
from torch.fx.operator_schemas import comparable_arguments
from torch.fx.passes.tools_common import leaves_and_returns

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """A place that matches.

    Args:
        anchors: The pattern's results, from which the search starts.
        nodes_map: What each node of the pattern stands for.
        placeholder_nodes: The nodes that the pattern's inputs stand for.
        returning_nodes: The nodes that the pattern's results stand for.
        name_node_map: The nodes that names in the pattern stand for.

    Example:
        >>> from torch.fx.passes.utils.matcher_utils import InternalMatch
        >>> InternalMatch(anchors=[]).nodes_map
        {}
    """

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(
            self.anchors,
            dict(self.nodes_map),
            list(self.placeholder_nodes),
            list(self.returning_nodes),
        )


class SubgraphMatcher:
    """Finds a pattern in graphs.

    Args:
        pattern: The graph of the pattern.
        match_output: Whether the pattern's output must be the graph's output.
        match_placeholder: Whether the pattern's inputs must be inputs of the graph.
        remove_overlapping_matches: Whether of places with common nodes only one counts.
        ignore_literals: Whether numbers and other constants match any others.

    Raises:
        ValueError: If the pattern is empty or has nodes without users.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
        >>> pattern = torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph
        >>> traced = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) + torch.relu(y))
        >>> len(SubgraphMatcher(pattern).match(traced.graph))
        2
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        self.pattern = pattern
        self.match_output, self.match_placeholder = match_output, match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        if any(node.op != "output" and not node.users for node in pattern.nodes):
            raise ValueError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors = (
            [output]
            if match_output
            else [node for node in output.all_input_nodes if len(node.users) == 1]
        )

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Return the places of a graph that match.

        Args:
            graph: The graph.
            node_name_match: A part of the name that nodes of the pattern must have in common with
                what they stand for, if not empty.
        """
        candidates = [
            [node for node in reversed(graph.nodes) if self._same_call(anchor, node)]
            for anchor in self.pattern_anchors
        ]
        found = []
        for nodes in itertools.product(*candidates):
            match = InternalMatch(anchors=list(nodes))
            pairs = zip(self.pattern_anchors, nodes, strict=True)
            if all(self._same_node(a, b, match) for a, b in pairs) and self._is_contained(match):
                match.placeholder_nodes = [
                    match.nodes_map[node] for node in self.pattern_placeholder_nodes
                ]
                match.returning_nodes = [
                    match.nodes_map[node] for node in self.pattern_returning_nodes
                ]
                if node_name_match and not self._has_name(match, node_name_match):
                    continue
                found.append(match)
        return _apart(found) if self.remove_overlapping_matches else found

    def _has_name(self, match: InternalMatch, name: str) -> bool:
        return any(name in node.name for node in match.returning_nodes)

    def _is_contained(self, match: InternalMatch) -> bool:
        """Return whether only the pattern's results are used outside, and none comes back in."""
        images = {
            a: b for a, b in match.nodes_map.items() if a.op not in ("placeholder", "get_attr")
        }
        inner = {b for b in images.values() if isinstance(b, Node)}
        for pattern_node, node in images.items():
            if pattern_node in self.pattern_returning_nodes or pattern_node.op == "output":
                continue
            if not set(node.users) <= inner:
                return False
        return not leaves_and_returns(inner)

    def _same_call(self, pattern: Node, node: Node) -> bool:
        if not self.match_placeholder and pattern.op == "placeholder":
            return True
        if pattern.op != node.op:
            return False
        if pattern.op in ("placeholder", "output"):
            return True
        if pattern.op == "call_module":
            return type(_value(pattern)) is type(_value(node))
        if pattern.op == "get_attr":
            return _same_attribute(_value(pattern), _value(node))
        return bool(pattern.target == node.target)

    def _same_node(self, pattern: Node, node: Any, match: InternalMatch) -> bool:
        if pattern in match.nodes_map:
            return match.nodes_map[pattern] is node or (
                not isinstance(node, Node) and bool(match.nodes_map[pattern] == node)
            )
        if isinstance(node, Node):
            taken = any(node is other for other in match.nodes_map.values())
            if pattern.op != "placeholder" and taken:
                return False
            if not self._same_call(pattern, node):
                return False
        elif pattern.op != "placeholder" or self.match_placeholder:
            return False
        saved = dict(match.nodes_map)
        match.nodes_map[pattern] = node
        if pattern.op == "placeholder" or self._same_arguments(pattern, node, match):
            return True
        match.nodes_map = saved
        return False

    def _same_arguments(self, pattern: Node, node: Node, match: InternalMatch) -> bool:
        left: Any = (pattern.args, dict(pattern.kwargs))
        right: Any = (node.args, dict(node.kwargs))
        if len(left[0]) != len(right[0]) or left[1].keys() != right[1].keys():
            roots = pattern.graph.owning_module, node.graph.owning_module
            named = [
                comparable_arguments(n, root, only_kwargs=True)
                for n, root in zip((pattern, node), roots, strict=True)
            ]
            if None in named:
                return False
            left, right = ((n.args, dict(n.kwargs)) for n in named)
        return self._same_value(left, right, match)

    def _same_value(self, left: Any, right: Any, match: InternalMatch) -> bool:
        if isinstance(left, Node):
            return self._same_node(left, right, match)
        if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            return len(left) == len(right) and all(
                self._same_value(a, b, match) for a, b in zip(left, right, strict=True)
            )
        if isinstance(left, dict) and isinstance(right, dict):
            return left.keys() == right.keys() and all(
                self._same_value(left[key], right[key], match) for key in left
            )
        if isinstance(right, Node):
            return False
        return self.ignore_literals or (type(left) is type(right) and bool(left == right))


def _value(node: Node) -> Any:
    value: Any = node.graph.owning_module
    for atom in str(node.target).split("."):
        value = getattr(value, atom, None)
    return value


def _same_attribute(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor):
        return isinstance(right, torch.Tensor)
    return type(left) is type(right)


def _apart(matches: list[InternalMatch]) -> list[InternalMatch]:
    """Return the matches that share no computing nodes with an earlier one."""
    taken: set[Node] = set()
    kept = []
    for match in matches:
        nodes = {
            node
            for pattern, node in match.nodes_map.items()
            if pattern.op not in ("placeholder", "get_attr") and isinstance(node, Node)
        }
        if nodes.isdisjoint(taken):
            taken |= nodes
            kept.append(match)
    return kept
