"""Make modules of graphs, and compare graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]


class HolderModule(torch.nn.Module):
    """A module that only holds others.

    Args:
        d: The modules by name.

    Example:
        >>> from torch.fx.passes.utils.common import HolderModule
        >>> HolderModule({"act": nn.ReLU()}).act
        ReLU()
    """

    def __init__(self, d: dict[str, torch.nn.Module]) -> None:
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(
    gm: GraphModule, subgraph: Graph, comp_name: str = "", class_name: str = "GraphModule"
) -> tuple[GraphModule, dict[str, str]]:
    """Make a module of a graph that refers to the modules and tensors of another module.

    Args:
        gm: The other module.
        subgraph: The graph.
        comp_name: The name that the new module gets, which starts the new names of the mapping.
        class_name: The name of its class.

    Returns:
        The module, and the new names of the other module's modules and tensors.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import lift_subgraph_as_module
        >>> traced = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU()))
        >>> lift_subgraph_as_module(traced, traced.graph, comp_name="part")[1]
        {'0': 'part.0'}
    """
    names: dict[str, str] = {}
    submodule = HolderModule({})
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        names[node.target] = f"{comp_name}.{node.target}"
        *path, last = node.target.split(".")
        source: Any = gm
        place: Any = submodule
        for atom in path:
            source = getattr(source, atom)
            if not hasattr(place, atom):
                place.add_module(atom, HolderModule({}))
            place = getattr(place, atom)
        setattr(place, last, getattr(source, last))
    subgraph.lint()
    return GraphModule(submodule, subgraph, class_name), names


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Return whether two graphs compute the same in the same way.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils import compare_graphs
        >>> graphs = [torch.fx.symbolic_trace(nn.ReLU()).graph for _ in range(2)]
        >>> compare_graphs(*graphs)
        True
    """
    return len(SubgraphMatcher(left, True, True).match(right)) > 0
