"""Layers that end with ReLU and quantize their inputs for each call."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.quantized.dynamic.modules import LinearReLU

__all__ = ["LinearReLU"]

__getattr__ = _import_at_use(__name__)
