"""What the passes that divide graphs share: names of calls, orders of nodes, groups that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, _get_qualified_name

__all__ = [
    "FxNetAccFusionsFinder",
    "get_acc_ops_name",
    "get_node_target",
    "is_node_output_tensor",
    "legalize_graph",
    "stable_topological_sort",
]

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}
NodeSet = set[Node]
NodeList = list[Node]
Names = list[str]
Tensors = tuple[torch.Tensor, ...] | list[torch.Tensor]
TensorOrTensors = torch.Tensor | Tensors


def get_acc_ops_name(k: Any) -> str:
    """Return the qualified name of a function or class, or its text if it is one.

    Example:
        >>> from torch.fx.passes.tools_common import get_acc_ops_name
        >>> get_acc_ops_name(nn.ReLU)
        'torch.nn.modules.activation.ReLU'
    """
    if isinstance(k, str):
        return k
    module = k.__module__ or ""
    if "acc_ops" in module:
        return f"acc_ops.{k.__name__}"
    return f"{module.replace('torch._ops', 'torch.ops')}.{k.__name__}"


def get_node_target(submodules: Mapping[str, torch.nn.Module], node: Node) -> str:
    """Return the name of what a node calls: a function, the class of a module, or a method.

    Args:
        submodules: The modules by name, from `named_modules()`.
        node: The node.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.tools_common import get_node_target
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x))
        >>> get_node_target({}, list(traced.graph.nodes)[1])
        'torch.relu'
    """
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(
            f"Expect op types of {', '.join(CALLABLE_NODE_OPS)}, but found {node.op}"
        )
    target: Any = node.target
    if node.op == "call_module":
        module = submodules[target]
        return get_acc_ops_name(getattr(module, "_base_class_origin", type(module)))
    if node.op == "call_method":
        return str(target)
    if target.__module__ is not None and "acc_ops" in target.__module__:
        return f"acc_ops.{target.__name__}"
    return _get_qualified_name(target)


def is_node_output_tensor(node: Node) -> bool:
    """Return whether a node's result is a tensor, which `ShapeProp` must have recorded.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.shape_prop import ShapeProp
        >>> from torch.fx.passes.tools_common import is_node_output_tensor
        >>> traced = torch.fx.symbolic_trace(lambda x: x.shape)
        >>> _ = ShapeProp(traced).propagate(torch.ones(1))
        >>> [is_node_output_tensor(node) for node in traced.graph.nodes][:2]
        [True, False]
    """
    kind = node.meta.get("type")
    return kind is not None and issubclass(kind, torch.Tensor)


class FxNetAccFusionsFinder:
    """Finds the groups of nodes that must stay together, as something else than tensors passes between them.

    Args:
        module: The module, with the types that `ShapeProp` records.
        acc_nodes: The nodes that may run on the accelerator; those that cannot are removed.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.shape_prop import ShapeProp
        >>> from torch.fx.passes.tools_common import FxNetAccFusionsFinder
        >>> traced = torch.fx.symbolic_trace(lambda x: x.view(x.size(0)))
        >>> _ = ShapeProp(traced).propagate(torch.ones(1))
        >>> nodes = {node for node in traced.graph.nodes if node.op == "call_method"}
        >>> sorted(map(str, FxNetAccFusionsFinder(traced, nodes)()))
        ['size', 'view']
    """

    def __init__(self, module: GraphModule, acc_nodes: NodeSet) -> None:
        self.module, self.acc_nodes = module, acc_nodes

    def _grow(self, start: Node) -> NodeSet:
        """Return the group of a node."""
        order = {node: index for index, node in enumerate(self.module.graph.nodes)}
        group, pending = {start}, [start, *start.users]
        group.update(start.users)
        while pending:
            node = pending.pop()
            near = [n for n in node.all_input_nodes if n.op in CALLABLE_NODE_OPS]
            linked = [n for n in near if not _gives_tensors(n)]
            if node.op in CALLABLE_NODE_OPS and not _gives_tensors(node):
                linked += list(node.users)
            for other in linked:
                if other not in group:
                    group.add(other)
                    pending.append(other)
        # Nodes between two of the group belong to it.
        changed = True
        while changed:
            changed = False
            first, last = min(map(order.__getitem__, group)), max(map(order.__getitem__, group))
            for node, index in order.items():
                if not first < index < last or node in group or node.op not in CALLABLE_NODE_OPS:
                    continue
                if _reaches(group, node) and _is_reached(group, node):
                    group.add(node)
                    changed = True
        return group

    def __call__(self) -> dict[Node, NodeSet]:
        """Return the group of each node that is in one."""
        result: dict[Node, NodeSet] = {}
        for node in list(self.acc_nodes):
            if node in result or node not in self.acc_nodes:
                continue
            if node.op not in CALLABLE_NODE_OPS or _gives_tensors(node):
                continue
            group = self._grow(node)
            if not group <= self.acc_nodes:
                self.acc_nodes -= group
                continue
            for member in group:
                result[member] = group
        return {node: group for node, group in result.items() if node in self.acc_nodes}


def _gives_tensors(node: Node) -> bool:
    return "tensor_meta" in node.meta


def _reaches(group: NodeSet, node: Node) -> bool:
    return any(source in group for source in _closure(node, lambda n: n.all_input_nodes))


def _is_reached(group: NodeSet, node: Node) -> bool:
    return any(user in group for user in _closure(node, lambda n: list(n.users)))


def _closure(node: Node, neighbours: Callable[[Node], list[Node]]) -> NodeSet:
    found: NodeSet = set()
    pending = neighbours(node)
    while pending:
        other = pending.pop()
        if other not in found:
            found.add(other)
            pending += neighbours(other)
    return found


def leaves_and_returns(nodes: Iterable[Node]) -> bool:
    """Return whether a path leaves a set of nodes and comes back."""
    inner = set(nodes)
    pending = [user for node in inner for user in node.users if user not in inner]
    seen: set[Node] = set()
    while pending:
        node = pending.pop()
        if node in inner:
            return True
        if node not in seen:
            seen.add(node)
            pending += node.users
    return False


def _reordered(gm: GraphModule, nodes: list[Node]) -> GraphModule:
    if len(nodes) < len(gm.graph.nodes):
        rest = [node for node in gm.graph.nodes if node not in set(nodes)]
        raise RuntimeError(f"Input graph has cycles, unable to add {rest}")
    previous = None
    for node in nodes:
        if previous is None:
            next(iter(gm.graph.nodes)).prepend(node)
        else:
            previous.append(node)
        previous = node
    gm.recompile()
    return gm


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Bring the nodes of a module into an order in which inputs come before their users.

    Args:
        gm: The module, which is changed.

    Raises:
        RuntimeError: If the graph has a cycle.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.tools_common import legalize_graph
        >>> legalize_graph(torch.fx.symbolic_trace(nn.ReLU())).code.strip().splitlines()[-1]
        '    return relu'
    """
    missing = {node: len(node.all_input_nodes) for node in gm.graph.nodes}
    nodes = [node for node, count in missing.items() if not count]
    for node in nodes:  # which grows
        for user in node.users:
            missing[user] -= 1
            if not missing[user]:
                nodes.append(user)
    return _reordered(gm, nodes)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Bring each node after its inputs, directly after the last of them if it had to be moved.

    Args:
        gm: The module, which is changed.

    Raises:
        RuntimeError: If the graph has a cycle.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.tools_common import stable_topological_sort
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)))
        >>> x, relu, neg, output = traced.graph.nodes
        >>> x.prepend(neg)
        >>> list(stable_topological_sort(traced).graph.nodes)
        [x, relu, neg, output]
    """
    pending = list(reversed(gm.graph.nodes))
    waiting: dict[Node, list[Node]] = {}
    placed: dict[Node, None] = {}
    while pending:
        node = pending.pop()
        missing = [used for used in node.all_input_nodes if used not in placed]
        if missing:
            waiting.setdefault(missing[-1], []).append(node)
        else:
            placed[node] = None
            pending += reversed(waiting.pop(node, []))
    return _reordered(gm, list(placed))
