"""Graphs of programs from old versions of operators."""

from __future__ import annotations

from torch.fx.graph_module import GraphModule
from torch.jit._upgraders import find_upgrader


def upgrade_graph(module: GraphModule, version: int) -> GraphModule:
    """Make the graph of a program from an old version compute what it computed then.

    Args:
        module: A module of torch.fx whose graph calls operators of torch.ops.aten. It is changed.
        version: The operator version that the program was written for.

    Returns:
        The module.

    Example:
        >>> from torch.fx.experimental.proxy_tensor import make_fx
        >>> old = make_fx(lambda a, b: a / b)(torch.tensor([7]), torch.tensor([2]))
        >>> old(torch.tensor([7]), torch.tensor([2]))
        tensor([3.5000])
        >>> from torch.fx.passes._operator_versions import upgrade_graph
        >>> upgrade_graph(old, 3)(torch.tensor([7]), torch.tensor([2]))
        tensor([3])
    """
    for node in module.graph.nodes:
        if node.op == "call_function" and hasattr(node.target, "_schema"):
            name = str(node.target).replace(".", "::", 1).removesuffix(".default")
            upgrader = find_upgrader(name, version)
            if upgrader is not None:
                node.target = upgrader.program
    module.recompile()
    return module
