"""A pass: a callable that changes a graph and says whether it did."""

from __future__ import annotations

import abc
from typing import NamedTuple

from torch.fx.graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """The result of a pass.

    Args:
        graph_module: The module, changed in place or new.
        modified: Whether it is another program than before.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.infra.pass_base import PassResult
        >>> module, modified = PassResult(torch.fx.symbolic_trace(nn.ReLU()), False)
        >>> modified
        False
    """

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """Base class of passes; a subclass defines `call`.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.infra.pass_base import PassBase, PassResult
        >>> class Recompile(PassBase):
        ...     def call(self, graph_module):
        ...         graph_module.recompile()
        ...         return PassResult(graph_module, False)
        >>> Recompile()(torch.fx.symbolic_trace(nn.ReLU())).modified
        False
    """

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        """Check what the pass requires, run it, and check what it ensures."""
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Run the pass."""

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027 (most passes need no check)
        """Raise an error if the pass cannot run on this module."""

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Raise an error if the module is not what the pass promises."""
