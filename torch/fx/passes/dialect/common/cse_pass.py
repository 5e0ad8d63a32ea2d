"""Common subexpression elimination: equal calls of functions are made once."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]

_RANDOM = """_fused_dropout _standard_gamma bernoulli binomial dropout multinomial native_dropout
    normal poisson rand rand_like randint randn randperm rrelu"""
_IN_PLACE = "add_ div_ lerp_ mul_ pow_ relu_ sigmoid_ sub_ tanh_"


def get_CSE_banned_ops() -> set[Any]:
    """Return the operators of which two calls are not the same: they are random or change a tensor.

    Example:
        >>> from torch.fx.passes.dialect.common.cse_pass import get_CSE_banned_ops
        >>> torch.ops.aten.rand in get_CSE_banned_ops()
        True
    """
    names = f"{_RANDOM} {_IN_PLACE}".split()
    return {getattr(torch.ops.aten, name) for name in names if hasattr(torch.ops.aten, name)}


class CSEPass(PassBase):
    """Makes calls of one function with the same arguments only once.

    Args:
        banned_ops: The functions whose calls stay; by default `get_CSE_banned_ops()`.

    Example:
        >>> from torch.fx.passes.dialect.common.cse_pass import CSEPass
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + torch.relu(x))
        >>> print(CSEPass()(traced).graph_module.code.strip())
        def forward(self, x):
            relu = torch.relu(x);  x = None
            add = relu + relu;  relu = None
            return add
    """

    def __init__(self, banned_ops: set[Any] | None = None) -> None:
        self.banned_ops = get_CSE_banned_ops() if banned_ops is None else banned_ops

    def _may_merge(self, node: Node) -> bool:
        if node.op in ("placeholder", "output", "get_attr") or node.is_impure():
            return False
        packet = getattr(node.target, "overloadpacket", None)
        return node.target not in self.banned_ops and packet not in self.banned_ops

    def call(self, graph_module: GraphModule) -> PassResult:
        """Return a module of a new graph, and whether it has fewer calls."""
        modified = False
        graph, copies = Graph(), {}
        seen: dict[Any, Node] = {}
        for node in graph_module.graph.nodes:
            key = None
            if self._may_merge(node):
                arguments = (node.args, tuple(node.kwargs.items()))
                key = (node.op, node.target, _key(arguments, copies))
                if key in seen:
                    copies[node] = seen[key]
                    modified = True
                    continue
            copies[node] = graph.node_copy(node, copies.__getitem__)
            if key is not None:
                seen[key] = copies[node]
        graph.set_codegen(graph_module.graph._codegen)
        return PassResult(GraphModule(graph_module, graph), modified)


def _key(value: Any, copies: dict[Node, Node]) -> Any:
    """Return something that is equal, and hashable, only for equal arguments of equal types."""
    if isinstance(value, Node):
        return copies[value]
    if isinstance(value, (tuple, list)):
        return (type(value), *(_key(item, copies) for item in value))
    if isinstance(value, dict):
        return (dict, *((key, _key(item, copies)) for key, item in value.items()))
    if isinstance(value, slice):
        return (slice, *(_key(item, copies) for item in (value.start, value.stop, value.step)))
    if isinstance(value, float):
        return (float, repr(value))  # 0.0 is not -0.0, and nan is like itself
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))
    return (type(value), value)
