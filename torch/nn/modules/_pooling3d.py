"""Pooling of volumes, fractional pooling and unpooling."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules._sizes import _as_tuple
from torch.nn.modules.module import Module
from torch.nn.modules.pooling import (
    Extent,
    _AdaptiveAvgPoolNd,
    _AdaptiveMaxPoolNd,
    _DividedAvgPool,
    _LPPoolNd,
    _MaxPoolNd,
)


class MaxPool3d(_MaxPoolNd):
    """Maximum of each window over the last three dimensions.

    Args:
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If True, also return the positions in the flattened volume.
        ceil_mode: If True, also use windows that extend past the end.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with sizes by the formula of MaxPool1d.

    Example:
        >>> nn.MaxPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
        tensor([[[[7.]]]])
    """

    _operator = property(lambda _: F.max_pool3d)


class AvgPool3d(_DividedAvgPool):
    """Mean of each window over the last three dimensions.

    Args:
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Zeros added on both sides.
        ceil_mode: If True, also use windows that extend past the end.
        count_include_pad: If False, leave the padding out of the mean.
        divisor_override: Number to divide the sums by instead of the window's size.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with sizes by the formula of AvgPool1d.

    Example:
        >>> nn.AvgPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
        tensor([[[[3.5000]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the means of the windows."""
        return F.avg_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class LPPool3d(_LPPoolNd):
    """Norm (sum of x^p)^(1/p) of each window over the last three dimensions.

    Args:
        norm_type: Exponent p.
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        ceil_mode: If True, also use windows that extend past the end.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with sizes by the formula of AvgPool1d.

    Example:
        >>> nn.LPPool3d(2, (2, 2, 1))(torch.full((1, 2, 2, 1), 2.0))
        tensor([[[[4.]]]])
    """

    _operator = property(lambda _: F.lp_pool3d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Mean of each window of a grid that covers the last three dimensions evenly.

    Args:
        output_size: Size of the grid: one number, or three. None keeps the input's size.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: (N, C, *output_size) or (C, *output_size).

    Example:
        >>> nn.AdaptiveAvgPool3d(1)(torch.arange(8.0).reshape(1, 2, 2, 2))
        tensor([[[[3.5000]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the means of the windows."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maximum of each window of a row that covers the last dimension evenly.

    Args:
        output_size: Number of windows.
        return_indices: If True, also return the positions.

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, output_size) or (C, output_size).

    Example:
        >>> nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
        tensor([[3., 2.]])
    """

    _operator = property(lambda _: F.adaptive_max_pool1d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maximum of each window of a grid that covers the last three dimensions evenly.

    Args:
        output_size: Size of the grid: one number, or three. None keeps the input's size.
        return_indices: If True, also return the positions in the flattened volume.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: (N, C, *output_size) or (C, *output_size).

    Example:
        >>> nn.AdaptiveMaxPool3d(1)(torch.arange(8.0).reshape(1, 2, 2, 2))
        tensor([[[[7.]]]])
    """

    _operator = property(lambda _: F.adaptive_max_pool3d)


class _FractionalMaxPoolNd(Module):
    """Base class of the poolings with windows at random positions."""

    spatial: int

    def __init__(
        self,
        kernel_size: Extent,
        output_size: Extent | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name, spatial = type(self).__name__, self.spatial
        self.kernel_size = _as_tuple(kernel_size, spatial)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else _as_tuple(output_size, spatial)
        self.output_ratio = None if output_ratio is None else _as_tuple(output_ratio, spatial)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < each < 1 for each in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the maxima of the windows, and their positions if requested."""
        return self._operator(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Maxima of windows at random positions that cover images; see Graham (2014).

    Args:
        kernel_size: Window size: one number, or two.
        output_size: Number of windows: one number, or two.
        output_ratio: The same as a fraction of the input's size.
        return_indices: If True, also return the positions in the flattened H * W plane.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C, H_out, W_out) or (C, H_out, W_out).

    Raises:
        ValueError: If not exactly one of size and ratio is given, or a ratio is not in (0, 1).

    Example:
        >>> nn.FractionalMaxPool2d(2, output_ratio=0.5)(torch.rand(3, 7, 9)).shape
        torch.Size([3, 3, 4])
    """

    spatial = 2
    _operator = property(lambda _: F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Maxima of windows at random positions that cover volumes; see Graham (2014).

    Args:
        kernel_size: Window size: one number, or three.
        output_size: Number of windows: one number, or three.
        output_ratio: The same as a fraction of the input's size.
        return_indices: If True, also return the positions in the flattened volume.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out).

    Raises:
        ValueError: If not exactly one of size and ratio is given, or a ratio is not in (0, 1).

    Example:
        >>> nn.FractionalMaxPool3d(2, output_size=3)(torch.rand(3, 7, 7, 7)).shape
        torch.Size([3, 3, 3, 3])
    """

    spatial = 3
    _operator = property(lambda _: F.fractional_max_pool3d)


class _MaxUnpoolNd(Module):
    """Base class of the unpoolings."""

    spatial: int

    def __init__(
        self, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0
    ) -> None:
        super().__init__()
        self.kernel_size = _as_tuple(kernel_size, self.spatial)
        self.stride = self.kernel_size if stride is None else _as_tuple(stride, self.spatial)
        self.padding = _as_tuple(padding, self.spatial)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        """Put the maxima back to their positions in a tensor of the requested size."""
        return self._operator(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Partial inverse of MaxPool1d: zeros, except for the maxima.

    Args:
        kernel_size: Window size of the pooling.
        stride: Its step. The default is the window size.
        padding: Its padding.

    Shape:
        - Input and indices: (N, C, L) or (C, L).
        - Output: (N, C, L_out) or (C, L_out), where
          L_out = (L - 1) stride - 2 padding + kernel_size, if no size is requested.

    Example:
        >>> maxima, places = nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 3.0]]))
        >>> nn.MaxUnpool1d(2)(maxima, places)
        tensor([[0., 3.]])
    """

    spatial = 1
    _operator = property(lambda _: F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """Partial inverse of MaxPool2d: zeros, except for the maxima.

    Args:
        kernel_size: Window size of the pooling.
        stride: Its step. The default is the window size.
        padding: Its padding.

    Shape:
        - Input and indices: (N, C, H, W) or (C, H, W).
        - Output: the same with sizes by the formula of MaxUnpool1d.

    Example:
        >>> nn.MaxUnpool2d(2)(torch.tensor([[[5.0]]]), torch.tensor([[[2]]]))
        tensor([[[0., 0.],
                 [5., 0.]]])
    """

    spatial = 2
    _operator = property(lambda _: F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """Partial inverse of MaxPool3d: zeros, except for the maxima.

    Args:
        kernel_size: Window size of the pooling.
        stride: Its step. The default is the window size.
        padding: Its padding.

    Shape:
        - Input and indices: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with sizes by the formula of MaxUnpool1d.

    Example:
        >>> nn.MaxUnpool3d((1, 1, 2))(torch.tensor([[[[5.0]]]]), torch.tensor([[[[1]]]]))
        tensor([[[[0., 5.]]]])
    """

    spatial = 3
    _operator = property(lambda _: F.max_unpool3d)
