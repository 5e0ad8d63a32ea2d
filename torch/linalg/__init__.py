"""Linear algebra: the operators of torch._C._linalg under their public names."""

from torch._C import _linalg

__all__ = []
for _name in dir(_linalg):
    if _name.startswith("linalg_"):
        globals()[_name.removeprefix("linalg_")] = getattr(_linalg, _name)
        __all__.append(_name.removeprefix("linalg_"))
