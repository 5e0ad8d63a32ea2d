"""The layers of `torch.ao.nn.intrinsic.qat`."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.qat.modules import conv_fused
from torch.ao.nn.intrinsic.qat.modules.conv_fused import *  # noqa: F403
from torch.ao.nn.intrinsic.qat.modules.linear_fused import LinearBn1d
from torch.ao.nn.intrinsic.qat.modules.linear_relu import LinearReLU

__all__ = [*conv_fused.__all__, "LinearBn1d", "LinearReLU"]

__getattr__ = _import_at_use(__name__)
