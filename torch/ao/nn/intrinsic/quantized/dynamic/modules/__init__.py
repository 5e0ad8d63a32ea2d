"""The layers of `torch.ao.nn.intrinsic.quantized.dynamic`."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.quantized.dynamic.modules.linear_relu import LinearReLU

__all__ = ["LinearReLU"]

__getattr__ = _import_at_use(__name__)
