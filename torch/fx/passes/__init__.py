"""Functions that analyse and divide graphs."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.fx.passes import shape_prop, split_module

__all__ = ["shape_prop", "split_module"]

__getattr__ = _import_at_use(__name__)
