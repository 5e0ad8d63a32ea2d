"""Flatten the inputs of a graph that takes nested containers."""

from __future__ import annotations

from typing import Any

from torch.utils import _pytree as pytree

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(tree: Any, spec: pytree.TreeSpec) -> list[Any]:
    """Return the leaves of a tree that has a given structure.

    Raises:
        ValueError: If it has another structure.
    """
    leaves, found = pytree.tree_flatten(tree)
    if len(leaves) != spec.num_leaves or found.num_nodes != spec.num_nodes:
        raise ValueError(f"the graph was recorded with inputs like {spec}, not {found}")
    return leaves
