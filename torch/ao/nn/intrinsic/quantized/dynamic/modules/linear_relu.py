"""Linear layers and ReLU that quantize their inputs for each call."""

from __future__ import annotations

import torch
from torch.ao.nn.quantized.dynamic.modules import linear

Tensor = torch.Tensor


class LinearReLU(linear.Linear):
    """Linear and ReLU of a floating-point tensor, with a quantized product.

    Example:
        >>> torch.ao.nn.intrinsic.quantized.dynamic.LinearReLU(3, 4)(torch.ones(2, 3)).shape
        torch.Size([2, 4])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return the result for a floating-point tensor, (*, in_features)."""
        return super().forward(x).relu()

    def _get_name(self) -> str:
        return "DynamicQuantizedLinearReLU"
