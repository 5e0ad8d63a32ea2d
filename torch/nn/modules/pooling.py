"""Pooling modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules._sizes import _as_tuple
from torch.nn.modules.module import Module

Extent = int | Sequence[int]
OutputSize = int | Sequence[int | None] | None


class _MaxPoolNd(Module):
    """Base class of the max pooling modules."""

    def __init__(
        self,
        kernel_size: Extent,
        stride: Extent | None = None,
        padding: Extent = 0,
        dilation: Extent = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the maxima of the windows, and their positions if requested."""
        return self._operator(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
            self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Maximum of each window over the last dimension.

    Args:
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If True, also return the positions of the maxima.
        ceil_mode: If True, also use windows that extend past the end.

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L_out) or (C, L_out), where
          L_out = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).

    Example:
        >>> nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
        tensor([[3., 2.]])
    """

    _operator = property(lambda _: F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """Maximum of each window over the last two dimensions.

    Args:
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If True, also return the positions in the flattened H * W plane.
        ceil_mode: If True, also use windows that extend past the end.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C, H_out, W_out) or (C, H_out, W_out); each size follows the formula of
          MaxPool1d.

    Example:
        >>> nn.MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """

    _operator = property(lambda _: F.max_pool2d)


class _AvgPoolNd(Module):
    """Base class of the average pooling modules."""

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """Mean of each window over the last dimension.

    Args:
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Zeros added on both sides.
        ceil_mode: If True, also use windows that extend past the end.
        count_include_pad: If False, leave the padding out of the mean.

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L_out) or (C, L_out), where
          L_out = floor((L + 2 padding - kernel_size) / stride + 1).

    Example:
        >>> nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
        tensor([[2., 1.]])
    """

    def __init__(
        self,
        kernel_size: Extent,
        stride: Extent | None = None,
        padding: Extent = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _as_tuple(kernel_size, 1)
        self.stride = self.kernel_size if stride is None else _as_tuple(stride, 1)
        self.padding = _as_tuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Return the means of the windows."""
        return torch.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip


class _DividedAvgPool(_AvgPoolNd):
    """Base class of the average pooling modules whose divisor can be chosen."""

    def __init__(
        self,
        kernel_size: Extent,
        stride: Extent | None = None,
        padding: Extent = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool2d(_DividedAvgPool):
    """Mean of each window over the last two dimensions.

    Args:
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Zeros added on both sides.
        ceil_mode: If True, also use windows that extend past the end.
        count_include_pad: If False, leave the padding out of the mean.
        divisor_override: Number to divide the sums by instead of the window's size.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C, H_out, W_out) or (C, H_out, W_out); each size follows the formula of
          AvgPool1d.

    Example:
        >>> nn.AvgPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the means of the windows."""
        return torch._C._nn.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class _LPPoolNd(Module):
    """Base class of the power-average pooling modules."""

    def __init__(
        self,
        norm_type: float,
        kernel_size: Extent,
        stride: Extent | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Return the norms of the windows."""
        arguments = (self.kernel_size, self.stride, self.ceil_mode)
        return self._operator(input, float(self.norm_type), *arguments)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """Norm (sum of x^p)^(1/p) of each window over the last dimension.

    Negative sums count as 0.

    Args:
        norm_type: Exponent p.
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        ceil_mode: If True, also use windows that extend past the end.

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L_out) or (C, L_out), where
          L_out = floor((L - kernel_size) / stride + 1).

    Example:
        >>> nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0, 6.0, 8.0]]))
        tensor([[ 5., 10.]])
    """

    _operator = property(lambda _: F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """Norm (sum of x^p)^(1/p) of each window over the last two dimensions.

    Negative sums count as 0.

    Args:
        norm_type: Exponent p.
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        ceil_mode: If True, also use windows that extend past the end.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C, H_out, W_out) or (C, H_out, W_out); each size follows the formula of
          LPPool1d.

    Example:
        >>> nn.LPPool2d(2, 2)(torch.ones(1, 2, 4))
        tensor([[[2., 2.]]])
    """

    _operator = property(lambda _: F.lp_pool2d)


class _AdaptivePoolNd(Module):
    """Base class of the adaptive pooling modules."""

    def __init__(self, output_size: OutputSize) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    """Base class of the adaptive average pooling modules."""


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    """Base class of the adaptive max pooling modules."""

    def __init__(self, output_size: OutputSize, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the maxima of the windows, and their positions if requested."""
        return self._operator(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Mean of each of output_size windows that cover the last dimension evenly.

    Args:
        output_size: Number of windows.

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, output_size) or (C, output_size).

    Example:
        >>> nn.AdaptiveAvgPool1d(2)(torch.arange(6.0).reshape(1, 6))
        tensor([[1., 4.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the means of the windows."""
        return torch.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Mean of each window of a grid that covers the last two dimensions evenly.

    Args:
        output_size: Size of the grid: one number, or two. None keeps the input's size.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C, *output_size) or (C, *output_size).

    Example:
        >>> nn.AdaptiveAvgPool2d((1, 2))(torch.arange(16.0).reshape(1, 4, 4))
        tensor([[[6.5000, 8.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the means of the windows."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maximum of each window of a grid that covers the last two dimensions evenly.

    Args:
        output_size: Size of the grid: one number, or two. None keeps the input's size.
        return_indices: If True, also return the positions in the flattened H * W plane.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: (N, C, *output_size) or (C, *output_size).

    Example:
        >>> nn.AdaptiveMaxPool2d((1, 2))(torch.arange(16.0).reshape(1, 4, 4))
        tensor([[[13., 15.]]])
    """

    _operator = property(lambda _: F.adaptive_max_pool2d)


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
