"""Data sets that are composed: each takes others, and methods such as `map` and `batch` chain them."""

from torch.utils.data.datapipes import datapipe, iter, map

__all__ = ["datapipe", "iter", "map"]
