"""Compiled graphs."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch._lazy import _bindings

__all__ = ["get_graph_hash"]


def get_graph_hash(tensors: Iterable[torch.Tensor]) -> bytes:
    """Return the hash by which the graph of the tensors is found among the compiled ones."""
    value: bytes = _bindings()._get_graph_hash(list(tensors))
    return value
