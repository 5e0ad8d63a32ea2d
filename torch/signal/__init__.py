"""Signal processing: the windows of torch.signal.windows."""

from . import windows

__all__ = ["windows"]
