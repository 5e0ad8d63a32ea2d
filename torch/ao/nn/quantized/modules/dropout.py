"""Dropout of quantized models, which drops nothing."""

from __future__ import annotations

from typing import Any

from torch import nn


class Dropout(nn.Dropout):
    """Returns its input; see `torch.nn.Dropout`.

    Example:
        >>> torch.ao.nn.quantized.Dropout(0.3)
        QuantizedDropout(p=0.3, inplace=False)
    """

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input

    def _get_name(self) -> str:
        return "QuantizedDropout"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Dropout:
        """Return the layer for one of floating point."""
        return cls(mod.p, mod.inplace)
