"""Linear layers that round their weights."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn.qat.modules._rounding import add_fake_quant, float_layer, share_parameters

__all__ = ["Linear"]

Tensor = torch.Tensor


class Linear(nn.Linear):
    """A linear layer that rounds its weight; see `torch.nn.Linear`.

    Args:
        in_features: Size of each input vector.
        out_features: Size of each output vector.
        bias: Whether to add a bias.
        qconfig: The factories of the modules that round.
        device: The device of the parameters.
        dtype: Their dtype.

    Raises:
        AssertionError: If there is no qconfig.

    Example:
        >>> qconfig = torch.ao.quantization.get_default_qat_qconfig()
        >>> torch.ao.nn.qat.Linear(3, 4, qconfig=qconfig)(torch.ones(2, 3)).shape
        torch.Size([2, 4])
    """

    _FLOAT_MODULE: Any = nn.Linear

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        add_fake_quant(self, qconfig)

    def forward(self, input: Tensor) -> Tensor:
        """Return the linear map with the rounded weight."""
        return F.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for one of floating point with a qconfig; it shares the parameters."""
        layer = float_layer(cls, mod)
        has_bias = layer.bias is not None
        made = cls(layer.in_features, layer.out_features, has_bias, qconfig=mod.qconfig)
        share_parameters(layer, made)
        return made

    def to_float(self) -> nn.Linear:
        """Return a layer of floating point with the same parameters."""
        made = nn.Linear(self.in_features, self.out_features, self.bias is not None)
        made.weight = nn.Parameter(self.weight.detach())
        if self.bias is not None:
            made.bias = nn.Parameter(self.bias.detach())
        made.train(self.training)
        return made
