"""Replace targets in a graph, and count the bytes of its tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_arg
from torch.fx.passes.shape_prop import ShapeProp, TensorMetadata

__all__ = [
    "get_size_of_all_nodes",
    "get_size_of_node",
    "get_tensor_meta",
    "replace_target_nodes_with",
    "size_bytes",
]


class size_bytes(NamedTuple):
    """The bytes of a node.

    Args:
        output_size: Those of its result.
        total_size: Those of its result and its parameters.

    Example:
        >>> from torch.fx.passes.graph_manipulation import size_bytes
        >>> size_bytes(output_size=4, total_size=12)
        size_bytes(output_size=4, total_size=12)
    """

    output_size: int
    total_size: int


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Any, new_op: str, new_target: Any
) -> None:
    """Replace all nodes of one operation and target by nodes of another one.

    Args:
        fx_module: The module, which is changed.
        old_op: The operation, such as "call_function".
        old_target: The target.
        new_op: The new operation.
        new_target: The new target.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.graph_manipulation import replace_target_nodes_with
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x))
        >>> replace_target_nodes_with(
        ...     traced, "call_function", torch.relu, "call_function", torch.neg
        ... )
        >>> traced(torch.ones(1))
        tensor([-1.])
    """
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            args, kwargs = map_arg((node.args, node.kwargs), copies.__getitem__)
            copies[node] = graph.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    fx_module.graph = graph


def get_size_of_all_nodes(fx_module: GraphModule, args: list[torch.Tensor] | None = None) -> None:
    """Store the bytes of each node in its attribute `size_bytes`.

    Args:
        fx_module: The module.
        args: Arguments, with which the shapes are computed; None if `ShapeProp` has run.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.graph_manipulation import get_size_of_all_nodes
        >>> traced = torch.fx.symbolic_trace(nn.ReLU())
        >>> get_size_of_all_nodes(traced, [torch.ones(3)])
        >>> next(iter(traced.graph.nodes)).size_bytes.output_size
        12
    """
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node: Node) -> TensorMetadata:
    """Return what `ShapeProp` has recorded.

    Raises:
        RuntimeError: If it has not.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.graph_manipulation import get_tensor_meta
        >>> from torch.fx.passes.shape_prop import ShapeProp
        >>> traced = torch.fx.symbolic_trace(nn.ReLU())
        >>> _ = ShapeProp(traced).propagate(torch.ones(3))
        >>> get_tensor_meta(next(iter(traced.graph.nodes))).shape
        torch.Size([3])
    """
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation "
            "has run."
        )
    return found  # type: ignore[no-any-return]


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """Return the bytes of a node's result and parameters.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.graph_manipulation import get_size_of_all_nodes
        >>> traced = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 3)))
        >>> get_size_of_all_nodes(traced, [torch.ones(1, 2)])
        >>> list(traced.graph.nodes)[1].size_bytes
        size_bytes(output_size=12, total_size=48)
    """
    parameters = 0
    if node.op == "call_module":
        module = dict(fx_module.named_modules())[node.target]
        parameters = sum(each.nbytes for _, each in module.named_parameters())
    meta = get_tensor_meta(node)
    output = meta.shape.numel() * meta.dtype.itemsize
    return size_bytes(output, output + parameters)
