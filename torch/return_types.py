"""The named tuples that operators return: torch.return_types.max and the others."""

from torch import _C

__all__ = [name for name in dir(_C._return_types) if not name.startswith("_")]
globals().update({name: getattr(_C._return_types, name) for name in __all__})
