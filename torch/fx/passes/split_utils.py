"""Divide a graph by the tags of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_arg
from torch.fx.passes.utils.common import HolderModule, lift_subgraph_as_module
from torch.fx.proxy import Proxy

__all__ = ["Component", "getattr_recursive", "setattr_recursive", "split_by_tags"]


def getattr_recursive(obj: Any, name: str) -> Any:
    """Return an attribute of a dotted name, None if a part of it is missing.

    Example:
        >>> from torch.fx.passes.split_utils import getattr_recursive
        >>> getattr_recursive(nn.Sequential(nn.Sequential(nn.ReLU())), "0.0")
        ReLU()
    """
    for part in name.split("."):
        obj = getattr(obj, part, None)
    return obj


def setattr_recursive(obj: Any, attr: str, value: Any) -> None:
    """Set an attribute of a dotted name.

    Example:
        >>> from torch.fx.passes.split_utils import setattr_recursive
        >>> model = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> setattr_recursive(model, "0.0", nn.Tanh())
        >>> model[0][0]
        Tanh()
    """
    *path, last = attr.split(".")
    for part in path:
        obj = getattr(obj, part)
    setattr(obj, last, value)


@dataclass
class Component:
    """A part of a graph.

    Args:
        graph: The graph of the part.
        order: Its number.
        name: Its tag.
        input_placeholders: Its inputs.
        orig_inputs: The nodes of the whole graph that they stand for.
        orig_outputs: The nodes of the whole graph that its results stand for.
        getattr_maps: The nodes of the whole graph and of the part that read the same attribute.
        constructor_args: Ignored.
        gm: The module of the part.

    Example:
        >>> from torch.fx.passes.split_utils import Component
        >>> Component(torch.fx.Graph(), order=0, name="first", input_placeholders=[]).name  # doctest: +SKIP
        'first'
    """

    graph: Graph
    order: int
    name: str
    input_placeholders: list[Node] = field(default_factory=list)
    orig_inputs: list[Node] = field(default_factory=list)
    orig_outputs: list[Node] = field(default_factory=list)
    getattr_maps: dict[Node, Node] = field(default_factory=dict)
    constructor_args: list[str] = field(default_factory=list)
    gm: GraphModule | None = None


def split_by_tags(
    gm: GraphModule,
    tags: Sequence[str],
    return_fqn_mapping: bool = False,
    return_tuple: bool = False,
    GraphModuleCls: type[GraphModule] = GraphModule,
) -> Any:
    """Make a submodule of the nodes with each tag.

    Args:
        gm: The module; `node.tag` names the part of each node that computes.
        tags: The tags, in the order in which the parts run.
        return_fqn_mapping: Whether to return also the new names of modules and tensors.
        return_tuple: Whether parts with a single result return a tuple, too.
        GraphModuleCls: The class of the result.

    Raises:
        AssertionError: If a part needs the result of a later one.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.split_utils import split_by_tags
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> for node in traced.graph.nodes:
        ...     if node.op == "call_function":
        ...         node.tag = "first" if node.name == "relu" else "second"
        >>> print(split_by_tags(traced, ["first", "second"]).code.strip())
        def forward(self, x):
            first = self.first(x);  x = None
            second = self.second(first);  first = None
            return second
    """
    parts = {tag: Component(Graph(), number, tag) for number, tag in enumerate(tags)}
    of: dict[Node, Component] = {}
    copies: dict[Node, Node] = {}
    for node in gm.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        if getattr(node, "tag", None) is None:
            raise AssertionError(f"Node {node} has no tag")
        of[node] = part = parts[node.tag]
        copies[node] = part.graph.node_copy(node, _reader(part, of, copies))
        copies[node].tag = part.name
    for node in gm.graph.nodes:
        part_of = of.get(node)
        if part_of is not None and any(of.get(user) is not part_of for user in node.users):
            part_of.orig_outputs.append(node)
    graph = Graph()
    values: dict[Node, Node] = {}
    for node in gm.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            values[node] = graph.node_copy(node)
    names: dict[str, str] = {}
    root = HolderModule({})
    for part in parts.values():
        if part.graph.nodes:
            names.update(_add(part, gm, graph, root, values, copies, return_tuple))
    output = gm.graph.output_node()
    graph.output(map_arg(output.args[0], values.__getitem__), type_expr=output.type)
    for node in graph.nodes:
        if node.op == "get_attr":
            setattr(root, node.target, getattr_recursive(gm, node.target))
    for node in [n for n in graph.nodes if n.op == "get_attr" and not n.users]:
        graph.erase_node(node)
    result = GraphModuleCls(root, graph)
    return (result, names) if return_fqn_mapping else result


def _reader(part: Component, of: dict[Node, Component], copies: dict[Node, Node]) -> Any:
    """Return the function that finds what stands for a node in a part."""

    def read(node: Node) -> Node:
        if node.op == "get_attr":
            if node not in part.getattr_maps:
                part.getattr_maps[node] = part.graph.get_attr(node.target, type_expr=node.type)
            return part.getattr_maps[node]
        source = of.get(node)
        if source is part:
            return copies[node]
        if source is not None and source.order > part.order:
            raise AssertionError(
                f"Component {source.name} order must be < {part.name} order, got {source.order} "
                f"and {part.order}"
            )
        if node not in part.orig_inputs:
            made = part.graph.placeholder(node.name, type_expr=node.type)
            made.meta = node.meta.copy()
            part.orig_inputs.append(node)
            part.input_placeholders.append(made)
        return part.input_placeholders[part.orig_inputs.index(node)]

    return read


def _add(
    part: Component,
    gm: GraphModule,
    graph: Graph,
    root: Any,
    values: dict[Node, Node],
    copies: dict[Node, Node],
    return_tuple: bool,
) -> dict[str, str]:
    """Call a part in the graph of the result, and return the new names of what it contains."""
    results = tuple(copies[node] for node in part.orig_outputs)
    single = len(results) == 1 and not return_tuple
    part.graph.output(results[0] if single else results)
    part.gm, names = lift_subgraph_as_module(gm, part.graph, comp_name=part.name)
    root.add_module(part.name, part.gm)
    made = graph.call_module(part.name, tuple(values[node] for node in part.orig_inputs))
    if single:
        values[part.orig_outputs[0]] = made
    else:
        for index, node in enumerate(part.orig_outputs):
            values[node] = Proxy(made)[index].node
    return names
