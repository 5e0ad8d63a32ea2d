"""Data sets that are composed: each takes others, and methods such as `map` and `batch` chain them."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.utils.data.datapipes import datapipe, iter, map

__all__ = ["datapipe", "iter", "map"]

__getattr__ = _import_at_use(__name__)
