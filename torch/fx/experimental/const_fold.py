"""Compute the part of a module that does not depend on its inputs once."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx._symbolic_trace import symbolic_trace
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_arg

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A module that computes its constants at the first call, or when `run_folding` is called.

    Args:
        root: The module with the parameters and submodules.
        graph: The graph that reads the constants.
        const_subgraph: The graph that computes them; None if there are none.
        fx_const_folded_attrs_name: The attribute that takes them.
        device_for_folded_attrs: The device on which they are kept.

    Example:
        >>> from torch.fx.experimental.const_fold import split_const_subgraphs
        >>> folded = split_const_subgraphs(nn.Sequential(nn.ReLU()))
        >>> folded.const_subgraph_module is None
        True
    """

    def __init__(
        self,
        root: torch.nn.Module,
        graph: Graph,
        const_subgraph: Graph | None = None,
        fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ) -> None:
        super().__init__(root, graph)
        self.const_subgraph_module = None
        if const_subgraph is not None:
            self.const_subgraph_module = GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the constants if that has not been done, and run the module."""
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args, **kwargs)

    def run_folding(self) -> None:
        """Compute the constants, which become parameters.

        Raises:
            AssertionError: If that has been done.
        """
        name, module = self.fx_const_folded_attrs_name, self.const_subgraph_module
        if module is None or name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True
        results = module()

        def parameter(value: torch.Tensor) -> torch.nn.Parameter:
            moved = value.detach() if value.requires_grad else value
            moved = moved.to(self.device_for_folded_attrs).clone()
            return torch.nn.Parameter(moved, requires_grad=value.requires_grad)

        if isinstance(results, torch.Tensor):
            made: Any = parameter(results)
        else:
            made = torch.nn.ParameterList([parameter(value) for value in results])
        setattr(self, name, made)


def get_unique_attr_name_in_module(mod_traced: GraphModule, name: str) -> str:
    """Return a name that is no attribute of a module yet: the name itself, or with a number.

    Example:
        >>> from torch.fx.experimental.const_fold import get_unique_attr_name_in_module
        >>> get_unique_attr_name_in_module(torch.fx.symbolic_trace(nn.ReLU()), "training")
        'training_1'
    """
    name = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    name = f"_{name}" if name[0].isdigit() else name
    candidate, number = name, 0
    while hasattr(mod_traced, candidate):
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _constants(module: GraphModule, skipped: Callable[[Node], bool] | None) -> dict[Node, None]:
    """Return the nodes that do not depend on an input, and may be computed in advance."""
    found: dict[Node, None] = {}
    for node in module.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op != "get_attr" and not set(node.all_input_nodes).issubset(found):
            continue
        if node.op != "get_attr" and (node.is_impure() or (skipped is not None and skipped(node))):
            continue
        if node.op != "get_attr" and not node.all_input_nodes:
            continue  # such as a random tensor
        found[node] = None
    return found


def split_const_subgraphs(
    module: torch.nn.Module | GraphModule,
    skip_folding_node_fn: Callable[[Node], bool] | None = None,
    device_for_folded_attrs: str = "cpu",
) -> FoldedGraphModule:
    """Return a module that computes what depends only on parameters and buffers once.

    Args:
        module: The module; it is traced unless it is a GraphModule.
        skip_folding_node_fn: Whether to leave a node where it is.
        device_for_folded_attrs: The device on which the constants are kept.

    Example:
        >>> from torch.fx.experimental.const_fold import split_const_subgraphs
        >>> class Scaled(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.scale = nn.Parameter(torch.tensor(2.0))
        ...     def forward(self, x):
        ...         return x * self.scale.exp()
        >>> print(split_const_subgraphs(Scaled()).code.strip())
        def forward(self, x):
            _fx_const_folded_attrs = self._FX_CONST_FOLDED_ATTRS
            mul = x * _fx_const_folded_attrs;  x = _fx_const_folded_attrs = None
            return mul
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constants = _constants(traced, skip_folding_node_fn)
    computed = [node for node in constants if node.op != "get_attr"]
    if not computed:
        return FoldedGraphModule(traced, traced.graph, None, None, device_for_folded_attrs)
    results = [node for node in computed if any(user not in constants for user in node.users)]
    name = get_unique_attr_name_in_module(traced, "_FX_CONST_FOLDED_ATTRS")

    inner, copies = Graph(), {}
    needed = {used for node in computed for used in node.all_input_nodes}
    for node in constants:
        if node.op != "get_attr" or node in needed:
            copies[node] = inner.node_copy(node, copies.__getitem__)
    outputs = tuple(copies[node] for node in results)
    inner.output(outputs[0] if len(outputs) == 1 else outputs)
    inner.lint()

    graph = _reading(traced, set(computed), results, name)
    setattr(traced, name, torch.nn.Parameter(torch.empty(0)))  # until the folding has run
    folded = FoldedGraphModule(traced, graph, inner, name, device_for_folded_attrs)
    delattr(traced, name)
    delattr(folded, name)
    return folded


def _reading(module: GraphModule, computed: set[Node], results: list[Node], name: str) -> Graph:
    """Return the graph that reads the results of the constant part from an attribute."""
    graph: Graph = Graph(tracer_cls=module.graph._tracer_cls)
    values: dict[Node, Node] = {}
    source: Node | None = None
    for node in module.graph.nodes:
        if node.op == "placeholder":
            values[node] = graph.node_copy(node)
            continue
        if source is None:
            source = graph.get_attr(name)
            if len(results) == 1:
                source.meta = results[0].meta.copy()
                values[results[0]] = source
            for index, result in enumerate(results if len(results) > 1 else ()):
                values[result] = graph.call_function(operator.getitem, (source, index))
                values[result].meta = result.meta.copy()
        if node.op == "get_attr" and all(user in computed for user in node.users):
            continue
        if node not in computed:
            if node.op == "output":
                returned = map_arg(node.args[0], values.__getitem__)
                graph.output(returned, type_expr=node.type).meta = node.meta.copy()
            else:
                values[node] = graph.node_copy(node, values.__getitem__)
    graph.set_codegen(module.graph._codegen)
    graph.lint()
    return graph
