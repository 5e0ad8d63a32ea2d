"""Dropout modules."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module


class _DropoutNd(Module):
    """Base class of the dropout modules, which are active in training mode only."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply dropout in training mode, and return the input unchanged otherwise."""
        return self._operator(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Dropout of single elements in training; the others are scaled by 1 / (1 - p).

    See Hinton et al. (2012).

    Args:
        p: Probability of dropping, between 0 and 1.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> dropout = nn.Dropout(0.5)
        >>> sorted(set(dropout(torch.ones(1000)).tolist()))
        [0.0, 2.0]
        >>> dropout.eval()(torch.ones(2))
        tensor([1., 1.])
    """

    _operator = property(lambda _: F.dropout)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of one-dimensional data.

    Args:
        p: Probability of dropping, between 0 and 1.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: (N, C, L) or (C, L).

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = nn.Dropout1d()(torch.ones(1, 8, 3))
        >>> bool((result == result[:, :, :1]).all())  # channels are kept or dropped whole
        True
    """

    _operator = property(lambda _: F.dropout1d)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of two-dimensional data.

    Args:
        p: Probability of dropping, between 0 and 1.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: (N, C, H, W).

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = nn.Dropout2d()(torch.ones(1, 8, 2, 2))
        >>> bool((result == result[:, :, :1, :1]).all())  # channels are kept or dropped whole
        True
    """

    _operator = property(lambda _: F.dropout2d)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of three-dimensional data.

    Args:
        p: Probability of dropping, between 0 and 1.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: (N, C, D, H, W) or (C, D, H, W).

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = nn.Dropout3d()(torch.ones(1, 8, 2, 2, 2))
        >>> bool((result == result[:, :, :1, :1, :1]).all())  # channels are kept or dropped whole
        True
    """

    _operator = property(lambda _: F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout that preserves the mean and variance of SELU activations.

    See Klambauer et al. (2017).

    Args:
        p: Probability of dropping, between 0 and 1.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> nn.AlphaDropout(0.5).eval()(torch.ones(2))
        tensor([1., 1.])
    """

    _operator = property(lambda _: F.alpha_dropout)


class FeatureAlphaDropout(_DropoutNd):
    """Alpha dropout of whole channels.

    Args:
        p: Probability of dropping, between 0 and 1.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: (N, C, ...).

    Raises:
        ValueError: If `p` is not between 0 and 1.

    Example:
        >>> result = nn.FeatureAlphaDropout()(torch.ones(1, 8, 3))
        >>> bool((result == result[:, :, :1]).all())  # channels are kept or dropped whole
        True
    """

    _operator = property(lambda _: F.feature_alpha_dropout)
