"""The named tuples that operators return, such as torch.return_types.max."""

from torch import _C

__all__ = [name for name in dir(_C._return_types) if not name.startswith("_")]
globals().update({name: getattr(_C._return_types, name) for name in __all__})
