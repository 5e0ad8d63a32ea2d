"""Sets of nodes that can become one node."""

from __future__ import annotations

from collections.abc import Iterable

from torch.fx.node import Node


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
    inner = set(partition)
    pending = [user for node in inner for user in node.users if user not in inner]
    seen: set[Node] = set()
    while pending:
        node = pending.pop()
        if node in inner:
            return False
        if node not in seen:
            seen.add(node)
            pending += node.users
    return True
