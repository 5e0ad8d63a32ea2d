"""Signal processing: the windows of torch.signal.windows."""

from torch._lazy_attributes import import_at_use as _import_at_use

from . import windows

__all__ = ["windows"]

__getattr__ = _import_at_use(__name__)
