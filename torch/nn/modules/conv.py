"""Convolutions of one and two dimensions, and their transposes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._sizes import _as_tuple
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

Extent = int | Sequence[int]
_PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


def _check_arguments(
    in_channels: int, out_channels: int, groups: int, padding: Any, stride: Any, mode: str
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
            )
        if padding == "same" and any(step != 1 for step in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _PADDING_MODES:
        raise ValueError(
            f"padding_mode must be one of {_PADDING_MODES}, but got padding_mode='{mode}'"
        )


class _ConvNd(Module):
    """Base class of the convolutions over `spatial` dimensions; by default, as many as the kernel has."""

    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent,
        padding: Extent | str,
        dilation: Extent,
        transposed: bool,
        output_padding: Extent,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        spatial = getattr(self, "spatial", 0) or len(kernel_size)  # type: ignore[arg-type]
        self.transposed = transposed
        self.stride = _as_tuple(stride, spatial)
        _check_arguments(in_channels, out_channels, groups, padding, self.stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _as_tuple(kernel_size, spatial)
        self.padding = padding if isinstance(padding, str) else _as_tuple(padding, spatial)
        self.dilation = _as_tuple(dilation, spatial)
        self.output_padding = _as_tuple(output_padding, spatial)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._padding_of_input()
        channels = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (channels[0], channels[1] // groups, *self.kernel_size)
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _padding_of_input(self) -> list[int]:
        """Return the argument of F.pad(), for modes in which the operators cannot pad."""
        if self.padding == "valid":
            return [0] * (2 * len(self.kernel_size))
        if self.padding == "same":
            extents = zip(reversed(self.dilation), reversed(self.kernel_size), strict=True)
            totals = [dilation * (kernel - 1) for dilation, kernel in extents]
            return [side for total in totals for side in (total // 2, total - total // 2)]
        return [side for side in reversed(self.padding) for _ in range(2)]

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly between -k and k, where k = 1 / sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Return the sizes, and the settings that differ from the defaults."""
        spatial = len(self.kernel_size)
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        if self.padding != (0,) * spatial:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * spatial:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * spatial:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    """Base class of the ordinary convolutions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent | str = 0,
        dilation: Extent = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, False, 0,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return self._operator(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """Convolve the input."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution (cross-correlation) over one dimension.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between positions of the kernel.
        padding: Number of elements to add on both sides, or ``same`` or ``valid``.
        dilation: Step between the kernel's elements.
        groups: Number of groups that input and output channels are divided into. Each group of
            outputs depends on one group of inputs.
        bias: If False, leave out the bias.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, L) or (in_channels, L).
        - Output: (N, out_channels, L_out) or (out_channels, L_out), where
          L_out = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).
        - weight: (out_channels, in_channels / groups, kernel_size); bias: (out_channels).

    Raises:
        ValueError: If the groups do not divide the channels, or a padding is unknown.

    Example:
        >>> layer = nn.Conv1d(3, 8, kernel_size=5, padding=2)
        >>> layer(torch.randn(2, 3, 10)).shape
        torch.Size([2, 8, 10])
    """

    spatial = 1
    _operator = property(lambda _: F.conv1d)


class Conv2d(_Conv):
    """Convolution (cross-correlation) over two dimensions.

    Sizes, steps and padding are one number for both dimensions, or two.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between positions of the kernel.
        padding: Number of elements to add on both sides, or ``same`` or ``valid``.
        dilation: Step between the kernel's elements.
        groups: Number of groups that input and output channels are divided into. Each group of
            outputs depends on one group of inputs.
        bias: If False, leave out the bias.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, H, W) or (in_channels, H, W).
        - Output: (N, out_channels, H_out, W_out) or (out_channels, H_out, W_out); each size
          follows the formula of Conv1d.
        - weight: (out_channels, in_channels / groups, *kernel_size); bias: (out_channels).

    Raises:
        ValueError: If the groups do not divide the channels, or a padding is unknown.

    Example:
        >>> layer = nn.Conv2d(3, 8, kernel_size=3, stride=2, padding=1)
        >>> layer(torch.randn(2, 3, 32, 32)).shape
        torch.Size([2, 8, 16, 16])
    """

    spatial = 2
    _operator = property(lambda _: F.conv2d)


class _ConvTransposeNd(_ConvNd):
    """Base class of the transposed convolutions."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent = 1,
        padding: Extent = 0,
        output_padding: Extent = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Extent = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, True,
            output_padding, groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """Return the output padding that produces the requested output size."""
        if output_size is None:
            return self.output_padding
        spatial = self.spatial
        skipped = input.dim() - spatial
        if len(output_size) == input.dim():
            output_size = output_size[skipped:]
        if len(output_size) != spatial:
            raise ValueError(
                f"ConvTranspose{spatial}D: for {input.dim()}D input, output_size must have "
                f"{spatial} or {input.dim()} elements (got {len(output_size)})"
            )
        smallest = [
            (input.size(axis + skipped) - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
            for axis, (stride, padding, dilation, kernel) in enumerate(
                zip(self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
            )
        ]
        largest = [low + stride - 1 for low, stride in zip(smallest, self.stride, strict=True)]
        for requested, low, high in zip(output_size, smallest, largest, strict=True):
            if not low <= requested <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from "
                    f"{smallest} to {largest} (for an input of {input.size()[2:]})"
                )
        return tuple(size - low for size, low in zip(output_size, smallest, strict=True))

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Apply the transposed convolution.

        Args:
            input: Input of the layer.
            output_size: Size of the result's spatial dimensions. It selects the output padding.

        Returns:
            The output of the layer.

        Raises:
            ValueError: If the layer cannot produce that size.
        """
        output_padding = self._output_padding(input, output_size)
        return self._operator(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups,
            self.dilation,
        )  # fmt: skip


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over one dimension: the gradient of Conv1d with respect to its input.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between output positions of neighboring input elements.
        padding: Elements removed from both sides of the output.
        output_padding: Elements added to the end of the output.
        groups: Number of groups that input and output channels are divided into.
        bias: If False, leave out the bias.
        dilation: Step between the kernel's elements.
        padding_mode: ``zeros``, the only mode supported.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, L) or (in_channels, L).
        - Output: (N, out_channels, L_out) or (out_channels, L_out), where L_out =
          (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1.
        - weight: (in_channels, out_channels / groups, kernel_size); bias: (out_channels).

    Raises:
        ValueError: If the groups do not divide the channels or the padding mode is not ``zeros``.

    Example:
        >>> layer = nn.ConvTranspose1d(8, 3, kernel_size=4, stride=2, padding=1)
        >>> layer(torch.randn(2, 8, 10)).shape
        torch.Size([2, 3, 20])
    """

    spatial = 1
    _operator = property(lambda _: F.conv_transpose1d)


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution over two dimensions: the gradient of Conv2d with respect to its input.

    Sizes, steps and padding are one number for both dimensions, or two.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the kernel.
        stride: Step between output positions of neighboring input elements.
        padding: Elements removed from both sides of the output.
        output_padding: Elements added to the end of the output.
        groups: Number of groups that input and output channels are divided into.
        bias: If False, leave out the bias.
        dilation: Step between the kernel's elements.
        padding_mode: ``zeros``, the only mode supported.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_channels, H, W) or (in_channels, H, W).
        - Output: (N, out_channels, H_out, W_out) or (out_channels, H_out, W_out); each size
          follows the formula of ConvTranspose1d.
        - weight: (in_channels, out_channels / groups, *kernel_size); bias: (out_channels).

    Raises:
        ValueError: If the groups do not divide the channels or the padding mode is not ``zeros``.

    Example:
        >>> layer = nn.ConvTranspose2d(8, 3, kernel_size=4, stride=2, padding=1)
        >>> layer(torch.randn(2, 8, 16, 16)).shape
        torch.Size([2, 3, 32, 32])
    """

    spatial = 2
    _operator = property(lambda _: F.conv_transpose2d)


class _ConvTransposeMixin(_ConvTransposeNd):
    """An old name of the base class, which libraries test for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            "_ConvTransposeMixin is a deprecated internal class. "
            "Please consider using public APIs.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
