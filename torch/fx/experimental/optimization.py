"""Make modules faster for inference: fold batch norms into the layers before them, drop dropouts."""

from __future__ import annotations

import copy
from typing import Any

from torch import nn
from torch.fx._symbolic_trace import symbolic_trace
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = ["fuse", "matches_module_pattern", "remove_dropout", "replace_node_module"]

_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def _traced(model: nn.Module) -> GraphModule:
    return model if isinstance(model, GraphModule) else symbolic_trace(model)


def matches_module_pattern(
    pattern: tuple[type[nn.Module], ...], node: Node, modules: dict[str, nn.Module]
) -> bool:
    """Return whether a call of a module follows one of another, of these two classes.

    Example:
        >>> import torch.fx
        >>> from torch.fx.experimental.optimization import matches_module_pattern
        >>> traced = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU(), nn.Tanh()))
        >>> modules, calls = dict(traced.named_modules()), list(traced.graph.nodes)
        >>> matches_module_pattern((nn.ReLU, nn.Tanh), calls[2], modules)
        True
    """
    if not node.args or not isinstance(node.args[0], Node):
        return False
    calls = (node.args[0], node)
    return all(
        call.op == "call_module" and type(modules.get(str(call.target))) is kind
        for kind, call in zip(pattern, calls, strict=True)
    )


def replace_node_module(node: Node, modules: dict[str, nn.Module], new_module: nn.Module) -> None:
    """Let a call use another module.

    Example:
        >>> import torch.fx
        >>> from torch.fx.experimental.optimization import replace_node_module
        >>> traced = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU()))
        >>> call = list(traced.graph.nodes)[1]
        >>> replace_node_module(call, dict(traced.named_modules()), nn.Tanh())
        >>> [type(m).__name__ for m in traced.children()]
        ['Tanh']
    """
    parent, _, name = str(node.target).rpartition(".")
    modules[str(node.target)] = new_module
    setattr(modules[parent], name, new_module)


def _fused(layer: Any, norm: Any) -> nn.Module:
    fold = fuse_linear_bn_eval if isinstance(layer, nn.Linear) else fuse_conv_bn_eval
    return fold(layer, norm)


def fuse(model: nn.Module, inplace: bool = False, no_trace: bool = False) -> GraphModule:
    """Fold each batch norm into the convolution or linear layer before it, for inference.

    Args:
        model: A module in evaluation mode.
        inplace: Whether the module's layers may change.
        no_trace: Whether the module is a GraphModule already.

    Example:
        >>> from torch.fx.experimental.optimization import fuse
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval()
        >>> [type(m).__name__ for m in fuse(model).children()]
        ['Conv2d']
    """
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules = dict(traced.named_modules())
    patterns = [
        *zip(_CONVOLUTIONS, _NORMS, strict=True),
        (nn.Linear, nn.BatchNorm1d),
    ]
    for node in list(traced.graph.nodes):
        if not any(matches_module_pattern(pattern, node, modules) for pattern in patterns):
            continue
        layer, norm = modules[node.args[0].target], modules[node.target]
        if len(node.args[0].users) > 1 or not norm.track_running_stats:
            continue
        replace_node_module(node.args[0], modules, _fused(layer, norm))
        node.replace_all_uses_with(node.args[0])
        traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced


def remove_dropout(model: nn.Module) -> GraphModule:
    """Return the module without its dropout layers.

    Example:
        >>> from torch.fx.experimental.optimization import remove_dropout
        >>> model = remove_dropout(nn.Sequential(nn.Dropout(), nn.ReLU()))
        >>> [type(m).__name__ for m in model.children()]
        ['ReLU']
    """
    traced = _traced(model)
    modules = dict(traced.named_modules())
    for node in list(traced.graph.nodes):
        if node.op == "call_module" and isinstance(modules[node.target], nn.Dropout):
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced
