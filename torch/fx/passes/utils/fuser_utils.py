"""Replace parts of a graph by calls of submodules."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.tools_common import leaves_and_returns, stable_topological_sort
from torch.fx.passes.utils.common import lift_subgraph_as_module
from torch.fx.proxy import Proxy

__all__ = [
    "erase_nodes",
    "fuse_as_graphmodule",
    "fuse_by_partitions",
    "insert_subgm",
    "topo_sort",
    "validate_partition",
]


def topo_sort(nodes: Sequence[Node]) -> list[Node]:
    """Sort nodes so that inputs come before their users.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import fuser_utils
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)) + 1)
        >>> x, relu, neg, add, output = traced.graph.nodes
        >>> fuser_utils.topo_sort([neg, relu])
        [relu, neg]
    """
    missing = {node: sum(n in nodes for n in node.all_input_nodes) for node in nodes}
    ready = deque(node for node, count in missing.items() if not count)
    found = []
    while ready:
        node = ready.popleft()
        found.append(node)
        for user in node.users:
            if user in missing:
                missing[user] -= 1
                if not missing[user]:
                    ready.append(user)
    if len(found) != len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return found


def validate_partition(partition: Iterable[Node]) -> bool:
    """Return whether no path leaves a set of nodes and comes back.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils.fuser_utils import validate_partition
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + torch.neg(torch.relu(x)))
        >>> nodes = {node.name: node for node in traced.graph.nodes}
        >>> validate_partition([nodes["relu_1"], nodes["add"]])
        False
    """
    return not leaves_and_returns(partition)


def fuse_as_graphmodule(
    gm: GraphModule,
    nodes: Sequence[Node],
    module_name: str,
    partition_lookup_table: Mapping[Node, int | None] | None = None,
    *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:
    """Copy nodes into a module of their own.

    Args:
        gm: The module that has the nodes.
        nodes: The nodes, inputs first.
        module_name: The name of the new module's class.
        partition_lookup_table: Ignored.
        always_return_tuple: Whether the module returns a tuple also for a single result.

    Returns:
        The module, the nodes whose values are its arguments, and those that its results replace.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import fuser_utils
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)) + 1)
        >>> x, relu, neg, add, output = traced.graph.nodes
        >>> part, inputs, outputs = fuser_utils.fuse_as_graphmodule(traced, [relu, neg], "part")
        >>> inputs, outputs
        ((x,), (neg,))
    """
    for node in nodes:
        if node.graph.owning_module is not gm or node not in gm.graph.nodes:
            raise AssertionError(f"{node} is not found in graph module {gm._get_name()}")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    inner = set(nodes)
    graph = Graph()
    inputs: dict[Node, Node] = {}
    copies: dict[Node, Node] = {}

    def copied(node: Node) -> Node:
        if node in inner:
            return copies[node]
        if node not in inputs:
            inputs[node] = graph.placeholder(node.name, type_expr=node.type)
            inputs[node].meta = copy.copy(node.meta)
        return inputs[node]

    for node in nodes:
        copies[node] = graph.node_copy(node, copied)
    outputs = {node: copies[node] for node in nodes if any(u not in inner for u in node.users)}
    results = tuple(outputs.values())
    graph.output(results[0] if len(results) == 1 and not always_return_tuple else results)
    graph.lint()
    module, _ = lift_subgraph_as_module(gm, graph, comp_name="", class_name=module_name)
    return module, tuple(inputs), tuple(outputs)


def insert_subgm(
    gm: GraphModule,
    sub_gm: GraphModule,
    orig_inputs: tuple[Node, ...],
    orig_outputs: tuple[Node, ...],
) -> GraphModule:
    """Call a module that computes the values of nodes, and use its results in their place.

    Args:
        gm: The module that has the nodes; it is changed.
        sub_gm: The module to call; the name of its class is the name of the submodule.
        orig_inputs: The nodes whose values are its arguments.
        orig_outputs: The nodes that its results replace.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import fuser_utils
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)) + 1)
        >>> x, relu, neg, add, output = traced.graph.nodes
        >>> part, inputs, outputs = fuser_utils.fuse_as_graphmodule(traced, [relu, neg], "part")
        >>> _ = fuser_utils.insert_subgm(traced, part, inputs, outputs)
        >>> add.args
        (part, 1)
    """
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    last = max(orig_outputs, default=None)
    before = gm.graph.output_node() if last is None else last.next
    with gm.graph.inserting_before(before):
        made = gm.graph.call_module(name, args=orig_inputs)
        results: Any = sub_gm.graph.output_node().args[0]
        if not isinstance(results, tuple):
            orig_outputs[0].replace_all_uses_with(made, propagate_meta=True)
            return gm
        for index, node in enumerate(orig_outputs):
            node.replace_all_uses_with(Proxy(made)[index].node, propagate_meta=True)
    made.meta["val"] = tuple(node.meta.get("val") for node in orig_outputs)
    return gm


def erase_nodes(gm: GraphModule, nodes: Sequence[Node]) -> None:
    """Erase nodes, which must be sorted with inputs first.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import fuser_utils
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)) + 1)
        >>> x, relu, neg, add, output = traced.graph.nodes
        >>> neg.replace_all_uses_with(x)
        [add]
        >>> fuser_utils.erase_nodes(traced, [relu, neg])
        >>> list(traced.graph.nodes)
        [x, add, output]
    """
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule,
    partitions: Sequence[Mapping[Node, int | None]],
    prefix: str = "fused_",
    always_return_tuple: bool = False,
) -> GraphModule:
    """Replace each set of nodes by the call of a submodule.

    Args:
        gm: The module, which is changed.
        partitions: The sets.
        prefix: What the names of the submodules start with; their numbers follow.
        always_return_tuple: Whether the submodules return tuples also for a single result.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import fuser_utils
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)) + 1)
        >>> x, relu, neg, add, output = traced.graph.nodes
        >>> _ = fuser_utils.fuse_by_partitions(traced, [{relu: None, neg: None}], prefix="part_")
        >>> list(traced.graph.nodes)
        [x, part_0, add, output]
    """
    for number, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        sub_gm, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{number}", partition, always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, sub_gm, inputs, outputs)
        erase_nodes(gm, nodes)
    stable_topological_sort(gm)
    return gm
