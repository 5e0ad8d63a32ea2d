"""Batch normalization and ReLU of quantized tensors."""

from __future__ import annotations

from torch.ao.nn.quantized.modules import batchnorm


class BNReLU2d(batchnorm.BatchNorm2d):
    """BatchNorm2d and ReLU of a quantized tensor.

    Example:
        >>> torch.ao.nn.intrinsic.quantized.BNReLU2d(3).scale
        tensor(1.)
    """

    _OPERATOR = "batch_norm2d_relu"


class BNReLU3d(batchnorm.BatchNorm3d):
    """BatchNorm3d and ReLU of a quantized tensor.

    Example:
        >>> torch.ao.nn.intrinsic.quantized.BNReLU3d(3).scale
        tensor(1.)
    """

    _OPERATOR = "batch_norm3d_relu"
