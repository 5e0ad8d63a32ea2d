"""Replace parts of a graph that have the form of a pattern."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.fx._symbolic_trace import symbolic_trace
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_arg
from torch.fx.operator_schemas import comparable_arguments

__all__ = ["replace_pattern"]


class Match(NamedTuple):
    """A place where the pattern occurs."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A place where the pattern was replaced, with the nodes that replaced it."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node] = field(default_factory=list)


@dataclass
class _Found:
    """A match during the search: pattern nodes and what they stand for."""

    anchors: list[Node]
    nodes: dict[Node, Any]
    placeholders: dict[Node, Any]
    returning_nodes: list[Node] = field(default_factory=list)

    @property
    def nodes_map(self) -> dict[Node, Any]:
        """What each node of the pattern stands for: a node, or a constant for an input."""
        return {**self.placeholders, **self.nodes}

    @property
    def placeholder_nodes(self) -> list[Any]:
        """What the pattern's inputs stand for."""
        return list(self.placeholders.values())


class _Matcher:
    """Finds a pattern by comparing nodes from its results to its inputs."""

    def __init__(
        self, pattern: Graph, pattern_module: Any, module: Any, ignore_literals: bool = False
    ):
        self.pattern = pattern
        self.ignore_literals = ignore_literals
        self.modules = dict(pattern_module.named_modules()), dict(module.named_modules())
        self.pattern_module, self.module = pattern_module, module
        output = pattern.output_node()
        results = output.args[0]
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        self.results = [r for r in results if isinstance(r, Node)]
        # The results from which all others can be reached; usually one.
        self.anchors = [r for r in self.results if set(r.users) <= {output}]

    def find(self, graph: Graph) -> list[_Found]:
        """Return the matches, none of which overlap."""
        found: list[_Found] = []
        taken: set[Node] = set()
        for node in reversed(graph.nodes):
            match = _Found([node], {}, {})
            if not self.same_node(self.anchors[0], node, match):
                continue
            if not self.match_other_anchors(graph, match) or not self.is_contained(match):
                continue
            inner = {n for p, n in match.nodes.items() if p.op != "placeholder"}
            if inner & taken:
                continue
            taken |= inner
            match.returning_nodes = [match.nodes[result] for result in self.results]
            found.append(match)
        return found[::-1]

    def match_other_anchors(self, graph: Graph, match: _Found) -> bool:
        for anchor in self.anchors[1:]:
            for candidate in graph.nodes:
                nodes, placeholders = dict(match.nodes), dict(match.placeholders)
                if self.same_node(anchor, candidate, match):
                    match.anchors.append(candidate)
                    break
                match.nodes, match.placeholders = nodes, placeholders
            else:
                return False
        return True

    def is_contained(self, match: _Found) -> bool:
        """Whether only the pattern's results are used outside."""
        inner = {n for p, n in match.nodes.items() if p.op != "placeholder"}
        for pattern_node, node in match.nodes.items():
            if pattern_node.op in ("placeholder", "get_attr") or pattern_node in self.results:
                continue
            if not set(node.users) <= inner:
                return False
        return True

    def same_node(self, pattern: Node, node: Any, match: _Found) -> bool:
        if pattern in match.nodes:
            return match.nodes[pattern] is node
        if pattern.op == "placeholder":
            if pattern in match.placeholders:
                return match.placeholders[pattern] is node or match.placeholders[pattern] == node
            match.placeholders[pattern] = node
            if isinstance(node, Node):
                match.nodes[pattern] = node
            return True
        if not isinstance(node, Node) or node.op != pattern.op:
            return False
        if node in match.nodes.values() or not self.same_target(pattern, node):
            return False
        saved = dict(match.nodes), dict(match.placeholders)
        match.nodes[pattern] = node
        if self.same_arguments(pattern, node, match):
            return True
        match.nodes, match.placeholders = saved
        return False

    def same_target(self, pattern: Node, node: Node) -> bool:
        if pattern.op == "call_module":
            return type(self.modules[0].get(pattern.target)) is type(
                self.modules[1].get(node.target)
            )
        if pattern.op == "get_attr":
            return type(_attribute(self.pattern_module, pattern.target)) is type(
                _attribute(self.module, node.target)
            )
        return pattern.target == node.target

    def same_arguments(self, pattern: Node, node: Node, match: _Found) -> bool:
        if len(pattern.args) == len(node.args) and set(pattern.kwargs) == set(node.kwargs):
            left = [pattern.args, *(pattern.kwargs[k] for k in pattern.kwargs)]
            right = [node.args, *(node.kwargs[k] for k in pattern.kwargs)]
            return self.same_value(left, right, match)
        both = (
            comparable_arguments(pattern, self.pattern_module, only_kwargs=True),
            comparable_arguments(node, self.module, only_kwargs=True),
        )
        if None in both:
            return False
        return self.same_value(
            [*both[0].args, dict(both[0].kwargs)], [*both[1].args, dict(both[1].kwargs)], match
        )

    def same_value(self, left: Any, right: Any, match: _Found) -> bool:
        if isinstance(left, Node):
            return self.same_node(left, right, match)
        if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
            return len(left) == len(right) and all(
                self.same_value(a, b, match) for a, b in zip(left, right, strict=True)
            )
        if isinstance(left, dict) and isinstance(right, dict):
            return set(left) == set(right) and all(
                self.same_value(left[k], right[k], match) for k in left
            )
        if isinstance(right, Node):
            return False
        return self.ignore_literals or (type(left) is type(right) and bool(left == right))


def _attribute(module: Any, path: str) -> Any:
    for atom in path.split("."):
        module = getattr(module, atom, None)
    return module


def _traced(found: Any) -> tuple[Graph, Any]:
    if isinstance(found, Graph):
        return found, found.owning_module or torch.nn.Module()
    if isinstance(found, GraphModule):
        return found.graph, found
    traced = symbolic_trace(found)
    return traced.graph, traced


def _add_attributes(gm: GraphModule, replacement: Any, graph: Graph) -> None:
    """Give the module what the replacement refers to."""
    if not isinstance(replacement, torch.nn.Module):
        return
    for node in graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        if _attribute(gm, node.target) is not None:
            continue
        value = _attribute(replacement, node.target)
        if value is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target '
                f"{node.target}, but the referenced attribute does not exist in the replacement "
                "GraphModule"
            )
        from torch.fx.graph_module import _assign_attr

        _assign_attr(copy.deepcopy(value), gm, node.target)


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace every occurrence of a pattern; occurrences do not overlap.

    Args:
        gm: The module whose graph is changed.
        pattern: A function or module that computes the pattern. Its parameters match anything.
        replacement: A function or module with the same parameters.

    Returns:
        The occurrences.

    Example:
        >>> import torch.fx
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> def pattern(x):
        ...     return torch.relu(x)
        >>> def replacement(x):
        ...     return torch.sigmoid(x)
        >>> len(torch.fx.replace_pattern(traced, pattern, replacement))
        1
        >>> print(traced.code.strip())
        def forward(self, x):
            sigmoid = torch.sigmoid(x);  x = None
            add = sigmoid + 1;  sigmoid = None
            return add
    """
    replaced = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(each.anchor, each.nodes_map) for each in replaced]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[Callable[[Any, Graph, Graph], bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[Any, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """Replace the occurrences of a pattern that all filters accept; see `replace_pattern`.

    Args:
        gm: The module whose graph is changed.
        pattern: A function or module that computes the pattern.
        replacement: A function or module with the same parameters.
        match_filters: Functions of a match, the graph and the pattern's graph. `match.nodes_map` has
            what the pattern's nodes stand for.
        ignore_literals: Whether constants match any others.
        replacement_callback: A function of the same arguments that returns the replacement's graph.
        node_name_match: Accepted for compatibility.
    """
    original = gm.graph
    pattern_graph, pattern_module = _traced(pattern)
    replacement_graph = None if replacement is None else _traced(replacement)[0]
    replacement_module = None if replacement is None else _traced(replacement)[1]
    matcher = _Matcher(pattern_graph, pattern_module, gm, ignore_literals)
    matches = matcher.find(original)
    for accept in match_filters or []:
        matches = [match for match in matches if accept(match, original, pattern_graph)]
    if matches and replacement_graph is not None:
        _add_attributes(gm, replacement_module, replacement_graph)
    changed: dict[Node, Node] = {}
    results = []
    for match in matches:
        graph = replacement_graph
        if replacement_callback is not None:
            graph = replacement_callback(match, original, pattern_graph)
        results.append(_replace(original, match, pattern_graph, graph, changed))
    gm.recompile()
    if matches and isinstance(replacement_module, torch.nn.Module):
        gm.delete_all_unused_submodules()
    return results


def _replace(
    graph: Graph, match: _Found, pattern: Graph, replacement: Any, changed: dict[Node, Node]
) -> ReplacedPatterns:
    """Replace one occurrence; `changed` holds nodes that earlier replacements removed."""
    inputs = [n for n in pattern.nodes if n.op == "placeholder"]
    outputs = [n for n in replacement.nodes if n.op == "placeholder"]
    values: dict[Node, Any] = {}
    for old, new in zip(inputs, outputs, strict=True):
        value = match.placeholders.get(old)
        while isinstance(value, Node) and value in changed:
            value = changed[value]
        values[new] = value
    anchors = [match.nodes[r] for r in _results_of(pattern)]
    last = max(anchors, key=Node._position)
    first_user = min((u for a in anchors for u in a.users), key=Node._position, default=None)
    before = first_user if first_user is not None else last.next
    latest_input = max(
        (v for v in values.values() if isinstance(v, Node)), key=Node._position, default=None
    )
    if latest_input is not None and before._position() <= latest_input._position():
        before = latest_input.next
    existing = set(graph.nodes)
    with graph.inserting_before(before):
        result = graph.graph_copy(replacement, values)
    new_results = list(result) if isinstance(result, (tuple, list)) else [result]
    for old, new in zip(anchors, new_results, strict=True):
        old.replace_all_uses_with(new)
        changed[old] = new
    for pattern_node in reversed(pattern.nodes):
        node = match.nodes.get(pattern_node)
        if pattern_node.op in ("placeholder", "output") or node is None:
            continue
        if not node.users:
            graph.erase_node(node)
    added = [n for n in graph.nodes if n not in existing]
    return ReplacedPatterns(anchors[0], match.nodes_map, added)


def _results_of(pattern: Graph) -> list[Node]:
    results = pattern.output_node().args[0]
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    return [map_arg(r, lambda n: n) for r in results]
