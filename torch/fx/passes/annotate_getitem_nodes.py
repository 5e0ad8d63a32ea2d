"""Give nodes that take an item of a typed tuple or list the type of the item."""

from __future__ import annotations

import operator
from typing import Any, get_args, get_origin

from torch.fx.graph import Graph

__all__ = ["annotate_getitem_nodes"]


def _item_type(kind: Any, index: Any) -> Any:
    """Return the type of an item, None if the type does not tell it."""
    fields = getattr(kind, "_fields", None)
    if fields is not None and isinstance(index, int):
        annotations = getattr(kind, "__annotations__", {})
        return annotations.get(fields[index]) if len(annotations) == len(fields) else None
    arguments = get_args(kind)
    if get_origin(kind) is list and arguments:
        return arguments[0]
    if get_origin(kind) is tuple and arguments:
        if len(arguments) == 2 and arguments[1] is ...:
            return arguments[0]
        if isinstance(index, int) and -len(arguments) <= index < len(arguments):
            return arguments[index]
    return None


def annotate_getitem_nodes(graph: Graph) -> None:
    """Set `node.type` of the nodes that take an item of a node with a type.

    Args:
        graph: The graph, which is changed.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.annotate_getitem_nodes import annotate_getitem_nodes
        >>> def function(x: tuple[torch.Tensor, int]):
        ...     return x[1]
        >>> graph = torch.fx.symbolic_trace(function).graph
        >>> annotate_getitem_nodes(graph)
        >>> [node.type for node in graph.nodes][1]
        <class 'int'>
    """
    for node in graph.nodes:
        if node.target is operator.getitem and getattr(node.args[0], "type", None) is not None:
            kind = _item_type(node.args[0].type, node.args[1])
            if kind is not None:
                node.type = kind
