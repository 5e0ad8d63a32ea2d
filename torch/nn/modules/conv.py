"""Convolutions of one, two and three dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._sizes import repeated
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
    """What all convolutions share; `spatial` is the number of their dimensions."""

    spatial: int
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Extent,
        stride: Extent,
        padding: Extent | str,
        dilation: Extent,
        output_padding: Extent,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: torch.dtype | None,
    ) -> None:
        super().__init__()
        spatial = self.spatial
        self.stride = repeated(stride, spatial)
        _check_arguments(in_channels, out_channels, groups, padding, self.stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = repeated(kernel_size, spatial)
        self.padding = padding if isinstance(padding, str) else repeated(padding, spatial)
        self.dilation = repeated(dilation, spatial)
        self.output_padding = repeated(output_padding, spatial)
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
        """What F.pad takes, for the modes that the operators do not pad by themselves."""
        if self.padding == "valid":
            return [0] * (2 * self.spatial)
        if self.padding == "same":
            extents = zip(reversed(self.dilation), reversed(self.kernel_size), strict=True)
            totals = [dilation * (kernel - 1) for dilation, kernel in extents]
            return [side for total in totals for side in (total // 2, total - total // 2)]
        return [side for side in reversed(self.padding) for _ in range(2)]

    def reset_parameters(self) -> None:
        """U(-k, k) with k = 1 / sqrt(fan_in), for both."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """What differs from the defaults."""
        spatial = self.spatial
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
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return self._operator(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """(N, out_channels, ...)."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Cross-correlation of (N, C, L) or (C, L)."""

    spatial = 1
    _operator = staticmethod(torch.conv1d)


class Conv2d(_Conv):
    """Cross-correlation of (N, C, H, W) or (C, H, W)."""

    spatial = 2
    _operator = staticmethod(torch.conv2d)


class _ConvTranspose(_ConvNd):
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
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """The extra rows that reach an output size; a stride leaves it open."""
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
        for wanted, low, high in zip(output_size, smallest, largest, strict=True):
            if not low <= wanted <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from "
                    f"{smallest} to {largest} (for an input of {input.size()[2:]})"
                )
        return tuple(want - low for want, low in zip(output_size, smallest, strict=True))

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """(N, out_channels, ...)."""
        output_padding = self._output_padding(input, output_size)
        return self._operator(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups,
            self.dilation,
        )  # fmt: skip


class ConvTranspose1d(_ConvTranspose):
    """The gradient of Conv1d with respect to its input, as a layer."""

    spatial = 1
    _operator = staticmethod(torch.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """The gradient of Conv2d with respect to its input, as a layer."""

    spatial = 2
    _operator = staticmethod(torch.conv_transpose2d)
