"""The layers of `torch.ao.nn.intrinsic.qat`."""

from torch.ao.nn.intrinsic.qat.modules import conv_fused
from torch.ao.nn.intrinsic.qat.modules.conv_fused import *  # noqa: F403
from torch.ao.nn.intrinsic.qat.modules.linear_fused import LinearBn1d
from torch.ao.nn.intrinsic.qat.modules.linear_relu import LinearReLU

__all__ = [*conv_fused.__all__, "LinearBn1d", "LinearReLU"]
