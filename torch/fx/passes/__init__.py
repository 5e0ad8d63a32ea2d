"""Functions that analyse and divide graphs."""

from torch.fx.passes import shape_prop, split_module

__all__ = ["shape_prop", "split_module"]
