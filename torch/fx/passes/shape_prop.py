"""Record the shapes and dtypes of all values of a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.fx.interpreter import Interpreter
from torch.fx.node import Node, map_aggregate

__all__ = ["ShapeProp"]


class TensorMetadata(NamedTuple):
    """The properties of a tensor in a graph."""

    shape: torch.Size
    dtype: torch.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: torch.memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(
    result: torch.Tensor, include_contiguity: bool = True
) -> TensorMetadata:
    memory_format = None
    if include_contiguity:
        formats = [torch.contiguous_format]
        if result.dim() == 4:
            formats.append(torch.channels_last)
        memory_format = next((f for f in formats if result.is_contiguous(memory_format=f)), None)
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, result.stride(), memory_format, False, {}
    )


class ShapeProp(Interpreter):
    """Runs a graph and stores the shapes in `node.meta["tensor_meta"]`.

    Args:
        gm: The GraphModule.
        fake_mode: Ignored; pass tensors on the device "meta" to compute shapes only.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.shape_prop import ShapeProp
        >>> traced = torch.fx.symbolic_trace(lambda x: x.sum(dim=0))
        >>> result = ShapeProp(traced).propagate(torch.ones(2, 3))
        >>> [node.meta["tensor_meta"].shape for node in traced.graph.nodes]
        [torch.Size([2, 3]), torch.Size([3]), torch.Size([3])]
    """

    def __init__(self, gm: Any, fake_mode: Any = None):
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """Run one node and store what its result is."""
        result = super().run_node(n)
        found = False

        def extract(value: Any) -> Any:
            nonlocal found
            if isinstance(value, torch.Tensor):
                found = True
                return _extract_tensor_metadata(value)
            return value

        meta = map_aggregate(result, extract)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph and return its result."""
        return super().run(*args)
