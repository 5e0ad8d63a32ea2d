"""Decide which nodes of a graph a back end can run."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.fx.node import Node
from torch.fx.passes.shape_prop import TensorMetadata
from torch.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = [
    "OpSupports",
    "OperatorSupport",
    "OperatorSupportBase",
    "any_chain",
    "chain",
    "create_op_support",
]

TargetTypeName = str
SupportedArgumentDTypes = (
    tuple[Sequence[Sequence[torch.dtype]], dict[str, Sequence[torch.dtype]]] | None
)
SupportDict = Mapping[TargetTypeName, SupportedArgumentDTypes]


class OperatorSupportBase(abc.ABC):
    """Base class of what says which nodes are supported.

    Example:
        >>> from torch.fx.passes.operator_support import OperatorSupportBase
        >>> class Everything(OperatorSupportBase):
        ...     def is_node_supported(self, submodules, node):
        ...         return True
        >>> Everything().is_node_supported({}, None)
        True
    """

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Return whether a node is supported.

        Args:
            submodules: The modules by name, from `named_modules()`.
            node: The node.
        """
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Support by a table of names and dtypes.

    Args:
        support_dict: By the name of a function, method or module class: None for all arguments, or
            the dtypes of each positional argument and those of arguments by name. The dtypes are
            those that `ShapeProp` records.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.operator_support import OperatorSupport
        >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x))
        >>> OperatorSupport({"torch.relu": None}).is_node_supported({}, list(traced.graph.nodes)[1])
        True
    """

    _support_dict: SupportDict

    def __init__(self, support_dict: SupportDict | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Return whether a node is no call, or in the table with the dtypes of its arguments."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        dtypes = self._support_dict[target]
        if dtypes is None:
            return True
        positional, named = dtypes
        pairs = [*zip(node.args, positional, strict=False)]
        pairs += [(node.kwargs[name], each) for name, each in named.items() if name in node.kwargs]
        return all(
            _dtype_of(argument) in allowed
            for argument, allowed in pairs
            if allowed is not None and isinstance(argument, Node)
        )


def _dtype_of(node: Node) -> Any:
    meta = node.meta.get("tensor_meta")
    return meta.dtype if isinstance(meta, TensorMetadata) else node.meta.get("type")


IsNodeSupported = Callable[[Mapping[str, torch.nn.Module], Node], bool]


class _FunctionSupport(OperatorSupportBase):
    def __init__(self, function: IsNodeSupported) -> None:
        self._function = function

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        return self._function(submodules, node)


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """Return an OperatorSupportBase that calls a function.

    Example:
        >>> from torch.fx.passes.operator_support import create_op_support
        >>> create_op_support(lambda submodules, node: True).is_node_supported({}, None)
        True
    """
    return _FunctionSupport(is_node_supported)


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Return what supports a node if all of the given ones do.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.operator_support import OperatorSupport, chain
        >>> node = list(torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph.nodes)[1]
        >>> both = chain(OperatorSupport({"torch.relu": None}), OperatorSupport({}))
        >>> both.is_node_supported({}, node)
        False
    """
    return create_op_support(
        lambda submodules, node: all(s.is_node_supported(submodules, node) for s in op_support)
    )


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Return what supports a node if one of the given ones does.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.operator_support import OperatorSupport, any_chain
        >>> node = list(torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph.nodes)[1]
        >>> one = any_chain(OperatorSupport({"torch.relu": None}), OperatorSupport({}))
        >>> one.is_node_supported({}, node)
        True
    """
    return create_op_support(
        lambda submodules, node: any(s.is_node_supported(submodules, node) for s in op_support)
    )


class OpSupports:
    """Common conditions.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.operator_support import OpSupports
        >>> node = list(torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph.nodes)[1]
        >>> OpSupports.decline_if_node_in_names({"relu"}).is_node_supported({}, node)
        False
    """

    @classmethod
    def decline_if_input_dtype(cls, dtype: torch.dtype) -> OperatorSupportBase:
        """Return what declines nodes with an input of a dtype."""
        return create_op_support(
            lambda submodules, node: all(_dtype_of(arg) != dtype for arg in node.all_input_nodes)
        )

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Return what declines nodes with one of the names."""
        return create_op_support(lambda submodules, node: node.name not in disallow_set)
