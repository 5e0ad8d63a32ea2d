"""Pooling layers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules._sizes import repeated
from torch.nn.modules.module import Module

Extent = int | Sequence[int]
OutputSize = int | Sequence[int | None] | None


class _MaxPoolNd(Module):
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
        """The maxima, and where they are if asked for."""
        return self._operator(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
            self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The windows."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Maxima of windows of (N, C, L) or (C, L)."""

    _operator = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """Maxima of windows of (N, C, H, W) or (C, H, W)."""

    _operator = staticmethod(F.max_pool2d)


class AvgPool1d(Module):
    """Means of windows of (N, C, L) or (C, L)."""

    def __init__(
        self,
        kernel_size: Extent,
        stride: Extent | None = None,
        padding: Extent = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, 1)
        self.stride = self.kernel_size if stride is None else repeated(stride, 1)
        self.padding = repeated(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return torch.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """Means of windows of (N, C, H, W) or (C, H, W)."""

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

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return torch._C._nn.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _LPPoolNd(Module):
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
        """The norms of the windows."""
        arguments = (self.kernel_size, self.stride, self.ceil_mode)
        return self._operator(input, float(self.norm_type), *arguments)

    def extra_repr(self) -> str:
        """The windows."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The p-norm of windows of (N, C, L)."""

    _operator = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """The p-norm of windows of (N, C, H, W)."""

    _operator = staticmethod(F.lp_pool2d)


class _AdaptivePoolNd(Module):
    def __init__(self, output_size: OutputSize) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The target."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePoolNd):
    """Means of windows that divide (N, C, L) evenly."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, output_size)."""
        return torch.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptivePoolNd):
    """Means of windows that divide (N, C, H, W) evenly."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, *output_size)."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveMaxPool2d(_AdaptivePoolNd):
    """Maxima of windows that divide (N, C, H, W) evenly."""

    def __init__(self, output_size: OutputSize, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """(N, C, *output_size), and where the maxima are if asked for."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)
