"""Quantized layers that end with ReLU."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.quantized.modules import *  # noqa: F403
from torch.ao.nn.intrinsic.quantized.modules import __all__

__getattr__ = _import_at_use(__name__)
