"""Modules that move values without changing them: flattening, pixel shuffling and resampling."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module


class Flatten(Module):
    """A layer that flattens consecutive dimensions into one.

    Args:
        start_dim: First dimension to merge.
        end_dim: Last dimension to merge.

    Shape:
        - Input: any shape.
        - Output: (N, product of the other sizes) by default.

    Example:
        >>> nn.Flatten()(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Merge the dimensions."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A layer that splits one dimension into several.

    Args:
        dim: Dimension to split.
        unflattened_size: Sizes to split it into. One of them may be -1.

    Shape:
        - Input: any shape.
        - Output: `unflattened_size` in place of dimension `dim`.

    Raises:
        TypeError: If an argument is not an integer.

    Example:
        >>> nn.Unflatten(1, (3, 4))(torch.zeros(2, 12)).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError("invalid argument type for dim; expected an int")
        for position, extent in enumerate(unflattened_size):
            if not isinstance(extent, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(extent).__name__} at pos {position}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """Split the dimension."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


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


class Upsample(Module):
    """A layer that resamples the spatial dimensions to a size or by a factor.

    Args:
        size: Output size: one number or one per spatial dimension.
        scale_factor: Ratio of output to input size, if `size` is not given.
        mode: ``nearest``, ``linear``, ``bilinear``, ``bicubic`` or ``trilinear``; see
            torch.nn.functional.interpolate().
        align_corners: If True, the centers of the corner pixels of input and output coincide.
        recompute_scale_factor: If True, round the output size down and derive the factor from it.

    Shape:
        - Input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        - Output: as many dimensions, with the new spatial sizes.

    Example:
        >>> nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
        tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(map(float, scale_factor))
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Resample the input."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """A layer that resamples images by the nearest pixel.

    Args:
        size: Output size: one number, or height and width.
        scale_factor: Ratio of output to input size, if `size` is not given.

    Shape:
        - Input: (N, C, H, W).
        - Output: (N, C, H_out, W_out).

    Example:
        >>> nn.UpsamplingNearest2d(size=(1, 4))(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1., 1., 2., 2.]]]])
    """

    def __init__(
        self,
        size: int | tuple[int, int] | None = None,
        scale_factor: float | tuple[float, float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """A layer that resamples images by bilinear interpolation with aligned corners.

    Args:
        size: Output size: one number, or height and width.
        scale_factor: Ratio of output to input size, if `size` is not given.

    Shape:
        - Input: (N, C, H, W).
        - Output: (N, C, H_out, W_out).

    Example:
        >>> nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(
        self,
        size: int | tuple[int, int] | None = None,
        scale_factor: float | tuple[float, float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
