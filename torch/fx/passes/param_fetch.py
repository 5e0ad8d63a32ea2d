"""Collect the attributes of modules that a compiler for another device needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.fx.graph_module import GraphModule

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name: str, target_version: int) -> str:
    """Return the name of an attribute in a version of a class: the same one.

    Example:
        >>> from torch.fx.passes.param_fetch import default_matching
        >>> default_matching("weight", 1)
        'weight'
    """
    return name


_POOL = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
_CONV = ["weight", "bias", "kernel_size", "stride", "padding", "dilation", "groups"]

# The class -> its version, its attributes, and a function that renames them for other versions.
module_fetch_book: dict[type, tuple[int, list[str], Callable[[str, int], str]]] = {
    nn.Linear: (1, ["weight", "bias"], default_matching),
    nn.Conv2d: (1, [*_CONV, "padding_mode"], default_matching),
    nn.BatchNorm2d: (
        2,
        ["weight", "bias", "running_mean", "running_var", "eps"],
        default_matching,
    ),
    nn.AdaptiveAvgPool2d: (1, [], default_matching),
    nn.MaxPool2d: (1, _POOL, default_matching),
    nn.ReLU: (1, ["inplace"], default_matching),
}


def extract_attrs_for_lowering(mod: nn.Module) -> dict[str, Any]:
    """Return the name of a module's class and the attributes that `module_fetch_book` lists for it.

    Raises:
        RuntimeError: If the book has no such class, or another version of it.

    Example:
        >>> from torch.fx.passes.param_fetch import extract_attrs_for_lowering
        >>> extract_attrs_for_lowering(nn.ReLU())
        {'name': 'torch.nn.modules.activation.ReLU', 'inplace': False}
    """
    entry = module_fetch_book.get(type(mod))
    if entry is None:
        raise RuntimeError(
            f"{torch.typename(mod)} is not in the module_fetch_book yet; add an entry for it"
        )
    version, names, match = entry
    found = getattr(mod, "_version", version)
    if found < version:
        raise RuntimeError(f"fetcher version {version} is newer than module version {found}")
    attributes = {"name": torch.typename(mod)}
    for name in names:
        attributes[name] = getattr(mod, match(name, found))
    return attributes


def lift_lowering_attrs_to_nodes(fx_module: GraphModule) -> None:
    """Set `attrs_for_lowering` of the nodes that call modules, also in modules inside.

    Args:
        fx_module: The module.

    Example:
        >>> from torch.fx.passes.param_fetch import lift_lowering_attrs_to_nodes
        >>> traced = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU()))
        >>> lift_lowering_attrs_to_nodes(traced)
        >>> list(traced.graph.nodes)[1].attrs_for_lowering["inplace"]
        False
    """
    for node in fx_module.graph.nodes:
        if node.op != "call_module":
            continue
        inner = fx_module.get_submodule(node.target)
        if isinstance(inner, GraphModule):
            lift_lowering_attrs_to_nodes(inner)
        else:
            node.attrs_for_lowering = extract_attrs_for_lowering(inner)
