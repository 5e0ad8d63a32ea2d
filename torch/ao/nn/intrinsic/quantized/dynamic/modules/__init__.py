"""The layers of `torch.ao.nn.intrinsic.quantized.dynamic`."""

from torch.ao.nn.intrinsic.quantized.dynamic.modules.linear_relu import LinearReLU

__all__ = ["LinearReLU"]
