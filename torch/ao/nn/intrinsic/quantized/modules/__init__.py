"""The layers of `torch.ao.nn.intrinsic.quantized`."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.quantized.modules.bn_relu import BNReLU2d, BNReLU3d
from torch.ao.nn.intrinsic.quantized.modules.conv_relu import ConvReLU1d, ConvReLU2d, ConvReLU3d
from torch.ao.nn.intrinsic.quantized.modules.linear_relu import LinearReLU

__all__ = ["BNReLU2d", "BNReLU3d", "ConvReLU1d", "ConvReLU2d", "ConvReLU3d", "LinearReLU"]

__getattr__ = _import_at_use(__name__)
