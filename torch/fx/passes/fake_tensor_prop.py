"""Compute the shapes in a graph on the device meta."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.interpreter import Interpreter
from torch.fx.node import Node, map_aggregate
from torch.fx.passes.shape_prop import _extract_tensor_metadata

__all__ = ["FakeTensorProp"]


def _on_meta(value: Any) -> Any:
    return value.to("meta") if isinstance(value, torch.Tensor) else value


class FakeTensorProp(Interpreter):
    """Runs a graph on the device meta, and stores each result in `node.meta["val"]`.

    Tensors on the device meta take the place of PyTorch's fake tensors.

    Args:
        module: The GraphModule. Its parameters and buffers are used by their shapes only.
        mode: None; this build has no mode of fake tensors.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.fake_tensor_prop import FakeTensorProp
        >>> traced = torch.fx.symbolic_trace(lambda x: x.sum(dim=0))
        >>> FakeTensorProp(traced).propagate(torch.ones(5, 2)).shape
        torch.Size([2])
        >>> [tuple(node.meta["val"].shape) for node in traced.graph.nodes]
        [(5, 2), (2,), (2,)]
    """

    def __init__(self, module: torch.nn.Module, mode: Any = None) -> None:
        super().__init__(module)

    def run_node(self, n: Node) -> Any:
        """Run one node and store its result."""
        result = super().run_node(n)
        n.meta["val"] = result

        def extract(value: Any) -> Any:
            return _extract_tensor_metadata(value) if isinstance(value, torch.Tensor) else value

        n.meta["tensor_meta"] = map_aggregate(result, extract)
        n.meta["type"] = type(result)
        return result

    def fetch_attr(self, target: str) -> Any:
        """Return an attribute; a tensor on the device meta."""
        return _on_meta(super().fetch_attr(target))

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a module with its parameters and buffers on the device meta."""
        module = Interpreter.fetch_attr(self, target)
        state = {
            name: _on_meta(value)
            for values in (module.named_parameters(), module.named_buffers())
            for name, value in values
        }
        return torch.func.functional_call(module, state, args, kwargs)

    def propagate(self, *args: Any) -> Any:
        """Run the graph with arguments of which only shapes and dtypes matter; return its result."""
        return self.propagate_dont_convert_inputs(*[_on_meta(argument) for argument in args])

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """Run the graph with arguments that are on the device meta."""
        return super().run(*args)
