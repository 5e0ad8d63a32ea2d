"""Batch normalization of quantized tensors with the statistics of training."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.intrinsic.modules import fused
from torch.ao.nn.quantized.modules._conversion import OutputBuffers, type_of

__all__ = ["BatchNorm2d", "BatchNorm3d"]

Tensor = torch.Tensor


class _BatchNorm(OutputBuffers, nn.modules.batchnorm._BatchNorm):
    """What the classes share."""

    _OPERATOR: str
    _FUSED: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, True, True, device=device, dtype=dtype)
        self._set_output(1.0, 0, device)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized tensor, (N, C, ...)."""
        self._check_input_dim(input)
        operator = getattr(torch.ops.quantized, self._OPERATOR)
        statistics = (self.weight, self.bias, self.running_mean, self.running_var, self.eps)
        return operator(input, *statistics, *self._output())  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for an observed one of floating point."""
        layer = mod[0] if type_of(mod) is cls._FUSED else mod
        made = cls(layer.num_features, layer.eps)
        made.weight, made.bias = layer.weight, layer.bias
        made.running_mean, made.running_var = layer.running_mean, layer.running_var
        made.scale, made.zero_point = mod.activation_post_process.calculate_qparams()
        return made

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"


class BatchNorm2d(_BatchNorm):
    """Batch normalization of a quantized tensor, (N, C, H, W); see `torch.nn.BatchNorm2d`.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1, 2, 1, 1), 0.5, 0, torch.quint8)
        >>> torch.ao.nn.quantized.BatchNorm2d(2)(x).shape
        torch.Size([1, 2, 1, 1])
    """

    _OPERATOR = "batch_norm2d"
    _FUSED = fused.BNReLU2d
    _input_dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of a quantized tensor, (N, C, D, H, W); see `torch.nn.BatchNorm3d`.

    Example:
        >>> torch.ao.nn.quantized.BatchNorm3d(2).scale
        tensor(1.)
    """

    _OPERATOR = "batch_norm3d"
    _FUSED = fused.BNReLU3d
    _input_dims = (5,)
