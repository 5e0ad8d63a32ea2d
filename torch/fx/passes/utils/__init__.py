"""Helpers of passes: parts of graphs as modules, and places that match a pattern."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.fx.passes.utils.common import HolderModule, compare_graphs, lift_subgraph_as_module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]

__getattr__ = _import_at_use(__name__)
