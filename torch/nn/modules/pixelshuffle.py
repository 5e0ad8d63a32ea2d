"""Layers that exchange channels for pixels, and back."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.modules.module import Module


class PixelShuffle(Module):
    """A layer that rearranges channels into pixels, upscaling by r. See Shi et al. (2016).

    Args:
        upscale_factor: Factor r.

    Shape:
        - Input: (*, C r^2, H, W).
        - Output: (*, C, H r, W r).

    Example:
        >>> nn.PixelShuffle(2)(torch.tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]))
        tensor([[[1., 2.],
                 [3., 4.]]])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange the channels."""
        return torch.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """A layer that rearranges pixels into channels, the inverse of PixelShuffle.

    Args:
        downscale_factor: Factor r.

    Shape:
        - Input: (*, C, H r, W r).
        - Output: (*, C r^2, H, W).

    Example:
        >>> nn.PixelUnshuffle(2)(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])).flatten()
        tensor([1., 2., 3., 4.])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange the pixels."""
        return torch.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"downscale_factor={self.downscale_factor}"
