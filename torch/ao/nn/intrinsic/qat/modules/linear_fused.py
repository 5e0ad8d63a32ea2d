"""Linear layers with rounded weights and batch normalization."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn.intrinsic.modules import fused
from torch.ao.nn.intrinsic.qat.modules._normalized import NormalizedLayer
from torch.ao.nn.qat.modules._rounding import float_layer
from torch.nn.utils.fusion import _fused_parameters

__all__ = ["LinearBn1d"]

Tensor = torch.Tensor


class LinearBn1d(NormalizedLayer, nn.Linear, fused._FusedModule):  # type: ignore[misc]
    """Linear and BatchNorm1d with a rounded weight; see `torch.nn.Linear` for the first arguments.

    Args:
        in_features: Size of each input vector.
        out_features: Size of each output vector.
        bias: Whether to add a bias.
        eps: A number to add to the variance.
        momentum: The weight of a new batch in the running statistics.
        freeze_bn: Whether to keep the statistics.
        qconfig: The factories of the modules that round.

    Example:
        >>> qconfig = torch.ao.quantization.get_default_qat_qconfig()
        >>> layer = torch.ao.nn.intrinsic.qat.LinearBn1d(3, 4, qconfig=qconfig)
    """

    _FLOAT_MODULE: Any = fused.LinearBn1d  # type: ignore[attr-defined]

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        eps: float = 1e-5,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, bias)
        self._add_norm(nn.BatchNorm1d(out_features, eps, momentum), qconfig, freeze_bn)

    def _apply_weight(self, input: Tensor, weight: Tensor) -> Tensor:
        return F.linear(input, weight)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized linear map with the rounded weight."""
        return self._normalized(input)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> LinearBn1d:
        """Return the layer for a sequence of floating point with a qconfig; it shares the parameters."""
        layer, norm = float_layer(cls, mod), mod[1]
        sizes = (layer.in_features, layer.out_features, layer.bias is not None)
        made = cls(*sizes, norm.eps, norm.momentum, False, mod.qconfig)
        made._share(layer, norm)
        return made

    def to_float(self) -> nn.Linear:
        """Return a linear layer of floating point that includes the normalization."""
        made = nn.Linear(self.in_features, self.out_features)
        made.weight, made.bias = _fused_parameters(self, self.bn)
        return made
