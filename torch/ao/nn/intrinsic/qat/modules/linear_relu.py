"""Linear layers with rounded weights and ReLU."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn.intrinsic.modules import fused
from torch.ao.nn.qat.modules import linear

Tensor = torch.Tensor


class LinearReLU(linear.Linear, fused._FusedModule):  # type: ignore[misc]
    """Linear and ReLU with a rounded weight; see `torch.ao.nn.qat.Linear` for the arguments.

    Example:
        >>> qconfig = torch.ao.quantization.get_default_qat_qconfig()
        >>> layer = torch.ao.nn.intrinsic.qat.LinearReLU(3, 4, qconfig=qconfig)
    """

    _FLOAT_MODULE: Any = fused.LinearReLU  # type: ignore[attr-defined]

    def forward(self, input: Tensor) -> Tensor:
        """Return the rectified linear map with the rounded weight."""
        return F.relu(super().forward(input))

    def to_float(self) -> Any:
        """Return a sequence of floating point with the same parameters."""
        return fused.LinearReLU(super().to_float(), nn.ReLU())  # type: ignore[attr-defined]
