"""Layers that round their weights, for models that quantize inputs for each call."""

from torch.ao.nn.qat.dynamic.modules import Linear

__all__ = ["Linear"]
