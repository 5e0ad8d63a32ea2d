"""Find the largest parts of a graph that a back end can run, and make a module of each."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, _get_qualified_name
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions

__all__ = ["CapabilityBasedPartitioner", "Partition"]

logger = logging.getLogger(__name__)
_NOT_COMPUTING = {"torch.ops.aten.view", "_operator.getitem"}


class Partition:
    """A set of nodes.

    Args:
        id: Its number.
        nodes: The nodes.
        node_orders: Ignored.

    Example:
        >>> from torch.fx.passes.infra.partitioner import Partition
        >>> Partition(0).size()
        0
    """

    def __init__(
        self,
        id: int | None = None,
        nodes: Iterable[Node] | None = None,
        node_orders: Iterable[int] | None = None,
    ) -> None:
        self.id = id
        self.nodes: dict[Node, int | None] = dict.fromkeys(nodes or ())

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        """Add a node."""
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        """Remove a node."""
        del self.nodes[node]

    def size(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Divides a module into parts that a back end supports, and the rest.

    Args:
        graph_module: The module.
        operator_support: What says which nodes are supported.
        allows_single_node_partition: Whether a part may have a single node that computes.
        non_compute_ops: Qualified names of functions that do not count as computing, such as views.
        allowed_single_node_partition_ops: Qualified names of functions that may be a part alone.
        skip_horizontal_fusion: Whether parts without a value in common stay apart.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
        >>> from torch.fx.passes.operator_support import create_op_support
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(torch.neg(x)).sum())
        >>> support = create_op_support(
        ...     lambda modules, node: node.target in (torch.relu, torch.neg)
        ... )
        >>> partitioner = CapabilityBasedPartitioner(traced, support)
        >>> print(partitioner.partition_and_fuse().code.strip())
        def forward(self, x):
            fused_0 = self.fused_0(x);  x = None
            sum_1 = fused_0.sum();  fused_0 = None
            return sum_1
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ) -> None:
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops or []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion

    def _is_node_supported(self, node: Node) -> bool:
        modules = dict(self.graph_module.named_modules())
        return self.operator_support.is_node_supported(modules, node)

    def propose_partitions(self) -> list[Partition]:
        """Return the parts."""
        search = _Search(self)
        search.run()
        search.keep_results_together()
        partitions = list(search.partitions.values())
        if not self.allows_single_node_partition:
            partitions = [p for p in partitions if self._computes_enough(p)]
        return [p for p in partitions if p.size()]

    def _computes_enough(self, partition: Partition) -> bool:
        computing = 0
        for node in partition.nodes:
            name = _get_qualified_name(node.target) if node.op == "call_function" else None
            if name in self.allowed_single_node_partition_ops:
                return True
            computing += name is None or name not in {*_NOT_COMPUTING, *self.non_compute_ops}
        return computing > 1

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Make a submodule of each part; their names start with the prefix."""
        return fuse_by_partitions(self.graph_module, [p.nodes for p in partitions], prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Remove functions that do not compute from the beginnings and ends of parts."""
        skipped = set(self.non_compute_ops)

        def is_skipped(node: Node) -> bool:
            return node.op == "call_function" and _get_qualified_name(node.target) in skipped

        for partition in partitions:
            inner = set(partition.nodes)
            first = _edge(inner, is_skipped, lambda node: node.all_input_nodes)
            last = _edge(inner, is_skipped, lambda node: list(node.users))
            for node in first | last:
                partition.remove_node(node)

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """Find the parts, make a submodule of each, and return the module."""
        return self.fuse_partitions(self.propose_partitions(), prefix)


def _edge(
    nodes: set[Node], is_skipped: Callable[[Node], bool], around: Callable[[Node], list[Node]]
) -> set[Node]:
    """Return the skipped nodes that have only skipped nodes before (or after) them."""
    found: set[Node] = set()
    size = -1
    while size != len(found):
        size = len(found)
        found |= {
            node
            for node in nodes
            if is_skipped(node) and all(n not in nodes or n in found for n in around(node))
        }
    return found


class _Search:
    """Grows parts from the end of the graph to its beginning."""

    def __init__(self, partitioner: CapabilityBasedPartitioner) -> None:
        self._partitioner = partitioner
        self._nodes = list(partitioner.graph_module.graph.nodes)
        self.partitions: dict[int, Partition] = {}
        self._of: dict[Node, int] = {}
        self._rank: dict[int, int] = {}  # the order in which parts are tried

    def run(self) -> None:
        numbers = itertools.count()
        for node in reversed(self._nodes):
            new = []
            if node not in self._of and self._partitioner._is_node_supported(node):
                if node.op in ("placeholder", "output"):
                    continue
                number = next(numbers)
                self.partitions[number] = Partition(number, [node])
                self._of[node] = self._rank[number] = number
                new = [number]
            candidates = dict.fromkeys(new)
            if self._partitioner.skip_horizontal_fusion:
                users = [self._of[user] for user in node.users if user in self._of]
                candidates.update(dict.fromkeys(users if new else ()))
            else:
                candidates.update(dict.fromkeys(sorted(self._rank, key=self._rank.__getitem__)))
            first, *others = candidates or [None]
            for other in others:
                self._merge(first, other)

    def _merge(self, number: Any, other: Any) -> None:
        """Merge a part into another if no path leaves the result and comes back."""
        if other not in self.partitions or number == other:
            return
        merged = {*self.partitions[number].nodes, *self.partitions[other].nodes}
        if self._leaves_and_returns(merged):
            return
        for node in self.partitions.pop(other).nodes:
            self.partitions[number].add_node(node)
            self._of[node] = number
        self._rank[number] = min(self._rank[number], self._rank.pop(other))

    def _leaves_and_returns(self, merged: set[Node]) -> bool:
        pending = [user for node in merged for user in node.users if user not in merged]
        seen: set[Node] = set()
        while pending:
            node = pending.pop()
            if node in merged:
                return True
            if node in seen:
                continue
            seen.add(node)
            part = self._of.get(node)
            # A part runs as one node, so all of its users come after any of its inputs.
            members = self.partitions[part].nodes if part is not None else (node,)
            if part is not None and not merged.isdisjoint(members):
                return True
            seen.update(members)
            pending += [user for member in members for user in member.users if user not in seen]
        return False

    def keep_results_together(self) -> None:
        """Put nodes that take one of several results into the part of the node that computes them."""
        for node in self._nodes:
            if not node.users or any(
                user.op != "call_function"
                or _get_qualified_name(user.target) != "_operator.getitem"
                for user in node.users
            ):
                continue
            number = self._of.get(node)
            for user in node.users:
                before = self._of.get(user)
                if before == number:
                    continue
                if before is not None:
                    self.partitions[before].remove_node(user)
                    del self._of[user]
                if number is not None:
                    self.partitions[number].add_node(user)
                    self._of[user] = number
