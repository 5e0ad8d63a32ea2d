"""Layers that resize images by interpolation."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module


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
