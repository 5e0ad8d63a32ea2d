"""Linear layers and ReLU of quantized tensors."""

from __future__ import annotations

import torch
from torch.ao.nn.quantized.modules import linear

Tensor = torch.Tensor


class LinearReLU(linear.Linear):
    """Linear and ReLU of a quantized tensor.

    Example:
        >>> torch.ao.nn.intrinsic.quantized.LinearReLU(3, 4).scale
        1.0
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return the quantized result for a quantized tensor, (*, in_features)."""
        packed = self._packed_params._packed_params
        return torch.ops.quantized.linear_relu(x, packed, self.scale, self.zero_point)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return "QuantizedLinearReLU"
