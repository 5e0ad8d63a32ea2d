"""Flatten the inputs of a graph that takes nested containers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from torch.fx.proxy import Proxy
from torch.utils import _pytree as pytree

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

FlattenFuncSpec = Callable[[Any, pytree.TreeSpec], list[Any]]

SUPPORTED_NODES: dict[type, FlattenFuncSpec] = {}


def register_pytree_flatten_spec(
    cls: type,
    flatten_fn_spec: FlattenFuncSpec,
    flatten_fn_exact_match_spec: Callable[[Any, pytree.TreeSpec], bool] | None = None,
) -> None:
    """Set how an object of a class is divided into parts where a graph expects a given structure.

    Args:
        cls: The class, which `torch.utils._pytree.register_pytree_node` knows.
        flatten_fn_spec: A function of the object and the structure that returns the list of parts.
        flatten_fn_exact_match_spec: Ignored; the number of parts is always checked.

    Example:
        >>> import argparse
        >>> from torch.fx._pytree import register_pytree_flatten_spec
        >>> register_pytree_flatten_spec(argparse.Namespace, lambda tree, spec: [tree.x])
    """
    SUPPORTED_NODES[cls] = flatten_fn_spec


def tree_flatten_spec(tree: Any, spec: pytree.TreeSpec) -> list[Any]:
    """Return the leaves of a tree that has a given structure.

    Raises:
        ValueError: If it has another structure.
    """
    if spec.is_leaf():
        return [tree]
    registered = SUPPORTED_NODES.get(spec.type)
    parts = _parts(tree, spec) if registered is None else registered(tree, spec)
    if len(parts) != spec.num_children:
        raise ValueError(f"the graph was recorded with inputs like {spec}, not {tree}")
    pairs = zip(parts, spec.children(), strict=True)
    return [leaf for part, child in pairs for leaf in tree_flatten_spec(part, child)]


def _parts(tree: Any, spec: pytree.TreeSpec) -> list[Any]:
    """Return the parts of a tree whose class has no function of its own."""
    if spec.type in (list, tuple) and type(tree) in (list, tuple):
        return list(tree)
    if isinstance(tree, Proxy) and spec.type in (list, tuple, namedtuple):
        return [tree[index] for index in range(spec.num_children)]
    if isinstance(tree, Proxy) and spec.type is dict:
        return [tree[key] for key in spec.context]
    leaf = pytree.tree_structure(0)
    return pytree.TreeSpec(spec.type, spec.context, [leaf] * spec.num_children).flatten_up_to(tree)
