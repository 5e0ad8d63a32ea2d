"""Layers of quantized tensors, which `torch.ao.quantization.convert` makes of layers of floating point."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.quantized import functional
from torch.ao.nn.quantized.modules import *  # noqa: F403
from torch.ao.nn.quantized.modules import MaxPool2d
from torch.ao.nn.quantized.modules import __all__ as _names

__all__ = list(_names)


__getattr__ = _import_at_use(__name__)
