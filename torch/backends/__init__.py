"""The capabilities of the CPU and of the libraries in this build."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.backends import cpu, cuda, openmp

__all__ = ["cpu", "cuda", "openmp"]

__getattr__ = _import_at_use(__name__)
