"""Pooling."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn

Extent = int | Sequence[int]
OutputSize = int | Sequence[int | None] | None


def _stride(stride: Extent | None) -> Extent:
    """The operators take an empty list for the kernel's own size."""
    return [] if stride is None else stride


def _output_size(size: OutputSize, input: Tensor, spatial: int) -> Sequence[int]:
    """The target size of the last `spatial` dimensions; None keeps the input's."""
    if input.dim() <= spatial:
        raise ValueError(f"Input dimension should be at least {spatial + 1}")
    wanted = (size,) * spatial if size is None or isinstance(size, int) else tuple(size)
    have = input.shape[-spatial:]
    return [h if w is None else w for w, h in zip(wanted, have, strict=True)]


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Maxima of windows of (N, C, L) or (C, L), and where they are."""
    return torch.max_pool1d_with_indices(
        input, kernel_size, _stride(stride), padding, dilation, ceil_mode
    )


def max_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Maxima of windows of (N, C, L) or (C, L)."""
    operator = torch.max_pool1d_with_indices if return_indices else torch.max_pool1d
    return operator(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Maxima of windows and where in the plane they are."""
    return _nn.max_pool2d_with_indices(
        input, kernel_size, _stride(stride), padding, dilation, ceil_mode
    )


def max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Maxima of windows over the last two dimensions of (N, C, H, W) or (C, H, W)."""
    operator = _nn.max_pool2d_with_indices if return_indices else torch.max_pool2d
    return operator(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """Maxima of windows that divide the input evenly, and where in the plane they are."""
    return _nn.adaptive_max_pool2d(input, _output_size(output_size, input, 2))


def adaptive_max_pool2d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Maxima of windows that divide the input evenly into output_size."""
    result = adaptive_max_pool2d_with_indices(input, output_size)
    return result if return_indices else result[0]


def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of windows that divide the input evenly into output_size."""
    return _nn.adaptive_avg_pool2d(input, _output_size(output_size, input, 2))


def lp_pool1d(
    input: Tensor,
    norm_type: int | float,
    kernel_size: int,
    stride: Extent | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x^p over each window)^(1/p), negative sums as 0."""
    powers = torch.avg_pool1d(input.pow(norm_type), kernel_size, _stride(stride), 0, ceil_mode)
    return (
        (torch.sign(powers) * torch.relu(torch.abs(powers))).mul(kernel_size).pow(1.0 / norm_type)
    )


def lp_pool2d(
    input: Tensor,
    norm_type: int | float,
    kernel_size: Extent,
    stride: Extent | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x^p over each window)^(1/p), negative sums as 0."""
    height, width = (kernel_size,) * 2 if isinstance(kernel_size, int) else kernel_size
    powers = _nn.avg_pool2d(input.pow(norm_type), kernel_size, _stride(stride), 0, ceil_mode)
    signed = torch.sign(powers) * torch.relu(torch.abs(powers))
    return signed.mul(height * width).pow(1.0 / norm_type)
