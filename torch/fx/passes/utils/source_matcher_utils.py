"""Find the nodes of a graph of operators that come from the same module or function of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch.fx.graph import Graph
from torch.fx.node import Node

__all__ = ["SourcePartition", "check_subgraphs_connected", "get_source_partitions"]


@dataclass
class SourcePartition:
    """The nodes of one call.

    Args:
        nodes: The nodes.
        source: The module's class, or the function.
        input_nodes: The nodes outside that they use.
        output_nodes: Those that are used outside.
        params: The parameters that they use.

    Example:
        >>> from torch.fx.passes.utils.source_matcher_utils import SourcePartition
        >>> SourcePartition(nodes=[], source=nn.Linear).params
        []
    """

    nodes: list[Node]
    source: Any
    input_nodes: list[Node] = field(default_factory=list)
    output_nodes: list[Node] = field(default_factory=list)
    params: list[Node] = field(default_factory=list)


def _source(node: Node) -> tuple[str, Any] | None:
    stack = node.meta.get("source_fn_stack")
    if stack:
        return stack[-1]  # type: ignore[no-any-return]
    named = node.meta.get("torch_fn")
    if named is not None:
        return named[0], named[1].split(".")[1]
    return None


def _partition(nodes: list[Node], source: Any) -> SourcePartition:
    inner = set(nodes)
    inputs: dict[Node, None] = {}
    params: dict[Node, None] = {}
    outputs: dict[Node, None] = {}
    for node in nodes:
        for used in node.all_input_nodes:
            if used.op == "get_attr":
                params[used] = None
            if used not in inner:
                inputs[used] = None
        if any(user not in inner for user in node.users):
            outputs[node] = None
    return SourcePartition(nodes, source, list(inputs), list(outputs), list(params))


def get_source_partitions(
    graph: Graph, wanted_sources: list[Any], filter_fn: Callable[[Node], bool] | None = None
) -> dict[Any, list[SourcePartition]]:
    """Return the calls of modules and functions in a graph of operators.

    Args:
        graph: The graph; `node.meta["source_fn_stack"]` says where each node comes from.
        wanted_sources: The classes and functions.
        filter_fn: A condition for the results of each call.

    Returns:
        By class or function, its calls.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils.source_matcher_utils import get_source_partitions
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)))
        >>> for node in list(traced.graph.nodes)[1:3]:
        ...     node.meta["source_fn_stack"] = [(node.name, node.target)]
        >>> found = get_source_partitions(traced.graph, [torch.relu, torch.neg])
        >>> found[torch.relu][0].nodes, found[torch.relu][0].input_nodes
        ([relu], [x])
    """
    calls: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        source = _source(node)
        if source is not None and source[1] in wanted_sources:
            calls.setdefault(source[1], {}).setdefault(source[0], []).append(node)
    found = {
        source: [_partition(nodes, source) for nodes in by_name.values()]
        for source, by_name in calls.items()
    }
    if filter_fn is None:
        return found
    kept = {
        source: [p for p in parts if all(filter_fn(node) for node in p.output_nodes)]
        for source, parts in found.items()
    }
    return {source: parts for source, parts in kept.items() if parts}


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Return whether the second call uses a result of the first.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils.source_matcher_utils import (
        ...     check_subgraphs_connected,
        ...     get_source_partitions,
        ... )
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)))
        >>> for node in list(traced.graph.nodes)[1:3]:
        ...     node.meta["source_fn_stack"] = [(node.name, node.target)]
        >>> found = get_source_partitions(traced.graph, [torch.relu, torch.neg])
        >>> check_subgraphs_connected(found[torch.relu][0], found[torch.neg][0])
        True
    """
    return any(used in subgraph1.nodes for node in subgraph2.nodes for used in node.all_input_nodes)
