"""Batch normalization folded into the rounded weight of the layer before it."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.ao.nn.qat.modules._rounding import add_fake_quant
from torch.nn import init

Tensor = torch.Tensor


class NormalizedLayer:
    """A layer with a weight, followed by batch normalization.

    The weight is rounded as it will be after training: multiplied by the factors of the normalization. The
    result is divided by them again, so that the normalization sees the layer's own results.
    """

    bn: Any

    def _add_norm(self: Any, norm: nn.Module, qconfig: Any, freeze_bn: bool) -> None:
        self.freeze_bn = freeze_bn
        self.bn = norm
        add_fake_quant(self, qconfig)
        self.reset_bn_parameters()
        if self.training and not freeze_bn:
            self.update_bn_stats()
        else:
            self.freeze_bn_stats()

    def _share(self: Any, layer: Any, norm: Any) -> None:
        """Use the parameters and statistics of layers of floating point."""
        self.weight, self.bias = layer.weight, layer.bias
        self.bn.weight, self.bn.bias = norm.weight, norm.bias
        self.bn.running_mean, self.bn.running_var = norm.running_mean, norm.running_var
        self.bn.num_batches_tracked = norm.num_batches_tracked

    def reset_running_stats(self) -> None:
        """Forget the statistics of the normalization."""
        self.bn.reset_running_stats()

    def reset_bn_parameters(self: Any) -> None:
        """Draw new parameters of the normalization, and a new bias."""
        self.bn.reset_running_stats()
        init.uniform_(self.bn.weight)
        init.zeros_(self.bn.bias)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.weight[0].numel())
            init.uniform_(self.bias, -bound, bound)

    def update_bn_stats(self: Any) -> Any:
        """Let the normalization learn its statistics."""
        self.freeze_bn = False
        self.bn.training = True
        return self

    def freeze_bn_stats(self: Any) -> Any:
        """Keep the statistics of the normalization."""
        self.freeze_bn = True
        self.bn.training = False
        return self

    def train(self: Any, mode: bool = True) -> Any:
        """Set training or evaluation mode; frozen statistics stay frozen."""
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self

    def _normalized(self: Any, input: Tensor) -> Tensor:
        """Return the normalized result of the layer with its rounded weight."""
        factor = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
        of_rows = factor.reshape([-1] + [1] * (self.weight.dim() - 1))
        of_channels = factor.reshape([1, -1] + [1] * (self.weight.dim() - 2))
        weight = self.weight_fake_quant(self.weight * of_rows)
        result = self._apply_weight(input, weight) / of_channels
        if self.bias is not None:
            result = result + self.bias.reshape(of_channels.shape)
        return self.bn(result)  # type: ignore[no-any-return]
