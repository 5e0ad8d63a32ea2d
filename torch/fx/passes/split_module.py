"""Divide a module into several that run after each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_arg
from torch.fx.proxy import Proxy

__all__ = ["split_module"]


@dataclass
class Partition:
    """One part: its graph, its inputs from other parts, and its outputs to them."""

    name: str
    graph: Graph = field(default_factory=Graph)
    nodes: list[Node] = field(default_factory=list)
    inputs: dict[Node, None] = field(default_factory=dict)
    outputs: dict[Node, None] = field(default_factory=dict)
    targets: dict[str, Any] = field(default_factory=dict)

    @property
    def submod_name(self) -> str:
        """The name of the part's module."""
        return f"submod_{self.name}"


def _assign(m: GraphModule, split_callback: Callable[[Node], Any]) -> dict[Node, Partition]:
    partitions: dict[str, Partition] = {}
    found: dict[Node, Partition] = {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        name = str(split_callback(node))
        partition = partitions.setdefault(name, Partition(name))
        partition.nodes.append(node)
        found[node] = partition
    return found


def _ordered(partitions: list[Partition], of: dict[Node, Partition]) -> list[Partition]:
    """Sort the parts so that each comes after those it depends on."""
    done: dict[str, Partition] = {}
    waiting: set[str] = set()

    def visit(partition: Partition) -> None:
        if partition.name in done:
            return
        if partition.name in waiting:
            raise RuntimeError("cycle exists between partitions!")
        waiting.add(partition.name)
        for used in partition.inputs:
            if used in of:
                visit(of[used])
        done[partition.name] = partition

    for partition in partitions:
        visit(partition)
    return list(done.values())


def split_module(
    m: GraphModule,
    root_m: torch.nn.Module | None,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    **options: Any,
) -> GraphModule:
    """Divide a module by a function that tells each node's part.

    Args:
        m: The module.
        root_m: The module with its parameters; usually the traced one, which None stands for.
        split_callback: A function that returns the number of a node's part.
        qualname_map: A dictionary that gets the old name of each submodule by its new one.
        keep_original_order: Ignored.
        keep_original_node_name: Ignored.
        keep_original_input_name: Ignored.
        **options: Ignored.

    Returns:
        A module with submodules submod_0, submod_1, ...

    Raises:
        RuntimeError: If two parts need results of each other.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.split_module import split_module
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> split = split_module(traced, traced, lambda node: int(node.name == "add"))
        >>> print(split.code.strip())
        def forward(self, x):
            submod_0 = self.submod_0(x);  x = None
            submod_1 = self.submod_1(submod_0);  submod_0 = None
            return submod_1
    """
    of = _assign(m, split_callback)
    for node in m.graph.nodes:
        for used in node.all_input_nodes:
            if of.get(used) is of.get(node):
                continue
            if node in of:
                of[node].inputs.setdefault(used)
            if used in of:
                of[used].outputs.setdefault(used)
    partitions = _ordered(list({id(p): p for p in of.values()}.values()), of)
    root = m if root_m is None else root_m
    modules = {p.submod_name: _build(p, root) for p in partitions}
    if qualname_map is not None:
        for partition in partitions:
            for node in partition.nodes:
                if node.op == "call_module":
                    new = f"{partition.submod_name}.{node.target.replace('.', '_')}"
                    qualname_map[new] = node.target
    return _assemble(m, partitions, modules)


def _attribute(module: Any, path: str) -> Any:
    for atom in path.split("."):
        module = getattr(module, atom)
    return module


def _build(partition: Partition, root: torch.nn.Module) -> GraphModule:
    environment: dict[Node, Node] = {}
    for node in partition.inputs:
        made = partition.graph.placeholder(node.name, type_expr=node.type)
        made.meta = node.meta.copy()
        environment[node] = made
    for node in partition.nodes:
        copied = partition.graph.node_copy(node, lambda used: environment[used])
        if node.op == "call_module":  # the parts are flat
            copied.target = node.target.replace(".", "_")
            partition.targets[copied.target] = _attribute(root, node.target)
        environment[node] = copied
    results = tuple(environment[node] for node in partition.outputs)
    partition.graph.output(results[0] if len(results) == 1 else results)
    return GraphModule(partition.targets, partition.graph)


def _assemble(
    m: GraphModule, partitions: list[Partition], modules: dict[str, GraphModule]
) -> GraphModule:
    graph = Graph()
    environment: dict[Node, Node] = {}
    attributes: dict[str, Any] = dict(modules)
    for node in m.graph.nodes:
        if node.op == "placeholder":
            environment[node] = graph.node_copy(node)
        elif node.op == "get_attr":
            environment[node] = graph.node_copy(node)
            attributes[node.target] = _attribute(m, node.target)
    for partition in partitions:
        inputs = tuple(environment[node] for node in partition.inputs)
        made = graph.call_module(partition.submod_name, inputs)
        if len(partition.outputs) == 1:
            environment[next(iter(partition.outputs))] = made
            continue
        for i, node in enumerate(partition.outputs):
            environment[node] = Proxy(made)[i].node
    graph.output(map_arg(m.graph.output_node().args[0], lambda node: environment[node]))
    return GraphModule(attributes, graph)
