"""Dropout layers."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module


class _DropoutNd(Module):
    """Drops in training, passes everything in evaluation."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        return self._operator(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Single elements. Hinton et al. (2012)."""

    _operator = staticmethod(F.dropout)


class Dropout1d(_DropoutNd):
    """Whole channels of (N, C, L) or (C, L)."""

    _operator = staticmethod(F.dropout1d)


class Dropout2d(_DropoutNd):
    """Whole channels of (N, C, H, W)."""

    _operator = staticmethod(F.dropout2d)


class Dropout3d(_DropoutNd):
    """Whole channels of (N, C, D, H, W)."""

    _operator = staticmethod(F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Keeps the mean and variance of SELU activations. Klambauer et al. (2017)."""

    _operator = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    _operator = staticmethod(F.feature_alpha_dropout)
