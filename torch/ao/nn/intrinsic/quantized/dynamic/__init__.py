"""Layers that end with ReLU and quantize their inputs for each call."""

from torch.ao.nn.intrinsic.quantized.dynamic.modules import LinearReLU

__all__ = ["LinearReLU"]
