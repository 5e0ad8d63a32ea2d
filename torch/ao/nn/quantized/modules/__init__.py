"""The layers of `torch.ao.nn.quantized`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.quantized.modules.activation import (
    ELU,
    Hardswish,
    LeakyReLU,
    PReLU,
    ReLU6,
    Sigmoid,
    Softmax,
)
from torch.ao.nn.quantized.modules.batchnorm import BatchNorm2d, BatchNorm3d
from torch.ao.nn.quantized.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from torch.ao.nn.quantized.modules.dropout import Dropout
from torch.ao.nn.quantized.modules.embedding_ops import Embedding, EmbeddingBag
from torch.ao.nn.quantized.modules.functional_modules import (
    FloatFunctional,
    FXFloatFunctional,
    QFunctional,
)
from torch.ao.nn.quantized.modules.linear import Linear
from torch.ao.nn.quantized.modules.normalization import (
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
)
from torch.ao.nn.quantized.modules.rnn import LSTM
from torch.nn import MaxPool2d

__all__ = [
    "ELU",
    "LSTM",
    "BatchNorm2d",
    "BatchNorm3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "DeQuantize",
    "Dropout",
    "Embedding",
    "EmbeddingBag",
    "FXFloatFunctional",
    "FloatFunctional",
    "GroupNorm",
    "Hardswish",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "PReLU",
    "QFunctional",
    "Quantize",
    "ReLU6",
    "Sigmoid",
    "Softmax",
]

Tensor = torch.Tensor


class Quantize(nn.Module):
    """Quantizes a float32 tensor with given parameters.

    Args:
        scale: The scale.
        zero_point: The zero point.
        dtype: The quantized dtype.
        factory_kwargs: The device of the parameters.

    Example:
        >>> layer = torch.ao.nn.quantized.Quantize(0.5, 1, torch.quint8)
        >>> layer(torch.tensor([1.0])).int_repr()
        tensor([3], dtype=torch.uint8)
    """

    scale: Tensor
    zero_point: Tensor

    def __init__(self, scale: Any, zero_point: Any, dtype: Any, factory_kwargs: Any = None) -> None:
        super().__init__()
        options = nn.factory_kwargs(factory_kwargs)
        self.register_buffer("scale", torch.tensor([scale], **options))
        point = torch.tensor([zero_point], **{**options, "dtype": torch.long})
        self.register_buffer("zero_point", point)
        self.dtype = dtype

    def forward(self, X: Tensor) -> Tensor:
        """Quantize a tensor."""
        return torch.quantize_per_tensor(X, float(self.scale), int(self.zero_point), self.dtype)  # type: ignore[no-any-return]

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Quantize:
        """Return the layer for a QuantStub with an observer."""
        scale, point = mod.activation_post_process.calculate_qparams()
        return Quantize(float(scale), int(point), mod.activation_post_process.dtype)

    def extra_repr(self) -> str:
        """Show the parameters."""
        return f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}"


class DeQuantize(nn.Module):
    """Returns the numbers of a quantized tensor, of dtype float32.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([1.0]), 0.5, 1, torch.quint8)
        >>> torch.ao.nn.quantized.DeQuantize()(x)
        tensor([1.])
    """

    def forward(self, Xq: Tensor) -> Tensor:
        """Return the numbers."""
        return Xq.dequantize()

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> DeQuantize:
        """Return the layer for a DeQuantStub."""
        return DeQuantize()


__getattr__ = _import_at_use(__name__)
