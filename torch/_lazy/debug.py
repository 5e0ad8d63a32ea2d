"""The graphs of lazy tensors as text."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch._lazy import _bindings

__all__ = ["dump_ir", "render_ir_graph"]


def dump_ir(tensors: Iterable[torch.Tensor], ir_format: str) -> str:
    """Return the graph that would compute the tensors.

    Args:
        tensors: Tensors on the lazy device.
        ir_format: "text" for one line per node, or "dot" for the language of Graphviz.
    """
    if ir_format not in ("text", "dot"):
        message = f'unknown format of the graph: "{ir_format}" is neither "text" nor "dot"'
        raise RuntimeError(message)
    write = _bindings()._get_tensors_text if ir_format == "text" else _bindings()._get_tensors_dot
    graph: str = write(list(tensors))
    return graph


def render_ir_graph(tensors: Iterable[torch.Tensor]) -> str:
    """Return the graph in the language of Graphviz."""
    return dump_ir(tensors, "dot")
