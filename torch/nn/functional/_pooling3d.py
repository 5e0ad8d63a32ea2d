"""Pooling of volumes, fractional pooling and unpooling; loaded at first use."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn
from torch.nn.functional._overridable import overridable
from torch.nn.functional._pooling import Extent, OutputSize, _output_size, _stride


def _extents(value: Extent, spatial: int) -> tuple[int, ...]:
    return (value,) * spatial if isinstance(value, int) else tuple(value)


@overridable
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Compute the maximum of each window over the last three dimensions, and its position.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        kernel_size: Window size: one number, or three.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If True, also use windows that extend past the end.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, and their positions in the flattened D * H * W volume.

    Example:
        >>> F.max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), 2)
        (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return _nn.max_pool3d_with_indices(
        input, kernel_size, _stride(stride), padding, dilation, ceil_mode
    )


@overridable
def max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maximum of each window over the last three dimensions.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        kernel_size: Window size: one number, or three.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If True, also use windows that extend past the end.
        return_indices: If True, also return the positions in the flattened volume.

    Returns:
        The maxima, with their positions if requested.

    Example:
        >>> F.max_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), 2)
        tensor([[[[7.]]]])
    """
    operator = _nn.max_pool3d_with_indices if return_indices else torch.max_pool3d
    return operator(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


@overridable
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """Compute maxima of windows that cover the last dimension evenly, and their positions.

    Args:
        input: Tensor of shape (N, C, L) or (C, L).
        output_size: Number of windows.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, (N, C, output_size) or (C, output_size), and their positions.

    Example:
        >>> F.adaptive_max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
        (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    return torch.adaptive_max_pool1d(input, output_size)


@overridable
def adaptive_max_pool1d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute maxima of windows that cover the last dimension evenly.

    Args:
        input: Tensor of shape (N, C, L) or (C, L).
        output_size: Number of windows.
        return_indices: If True, also return the positions.

    Returns:
        The maxima, (N, C, output_size) or (C, output_size), with their positions if requested.

    Example:
        >>> F.adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
        tensor([[3., 2.]])
    """
    result = torch.adaptive_max_pool1d(input, output_size)
    return result if return_indices else result[0]


@overridable
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """Compute maxima over a grid of windows that covers the volume evenly, and their positions.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        output_size: Size of the grid: one number, or three. None keeps the input's size.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, and their positions in the flattened D * H * W volume.

    Example:
        >>> F.adaptive_max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), 1)
        (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return _nn.adaptive_max_pool3d(input, _output_size(output_size, input, 3))


@overridable
def adaptive_max_pool3d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute maxima over a grid of windows that covers the volume evenly.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        output_size: Size of the grid: one number, or three. None keeps the input's size.
        return_indices: If True, also return the positions in the flattened volume.

    Returns:
        The maxima, with their positions if requested.

    Example:
        >>> F.adaptive_max_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), (2, 1, 1))
        tensor([[[[3.]],
        <BLANKLINE>
                 [[7.]]]])
    """
    result = _nn.adaptive_max_pool3d(input, _output_size(output_size, input, 3))
    return result if return_indices else result[0]


@overridable
def adaptive_avg_pool3d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Compute means over a grid of windows that covers the volume evenly.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        output_size: Size of the grid: one number, or three. None keeps the input's size.

    Returns:
        The means, (N, C, *output_size) or (C, *output_size).

    Example:
        >>> F.adaptive_avg_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), 1)
        tensor([[[[3.5000]]]])
    """
    return _nn.adaptive_avg_pool3d(input, _output_size(output_size, input, 3))


@overridable
def lp_pool3d(
    input: Tensor,
    norm_type: int | float,
    kernel_size: Extent,
    stride: Extent | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute (sum of x^p)^(1/p) of each window over the last three dimensions.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        norm_type: Exponent p.
        kernel_size: Window size: one number, or three.
        stride: Step between windows. The default is the window size.
        ceil_mode: If True, also use windows that extend past the end.

    Returns:
        The norms of the windows.

    Example:
        >>> F.lp_pool3d(torch.full((1, 2, 2, 1), 2.0), 2, (2, 2, 1))
        tensor([[[[4.]]]])
    """
    depth, height, width = _extents(kernel_size, 3)
    powers = _nn.avg_pool3d(input.pow(norm_type), kernel_size, _stride(stride), 0, ceil_mode)
    signed = torch.sign(powers) * torch.relu(torch.abs(powers))
    return signed.mul(depth * height * width).pow(1.0 / norm_type)


def _fractional_size(
    input: Tensor, output_size: Extent | None, output_ratio: object, spatial: int
) -> list[int]:
    """Return the output size, given itself or as a ratio of the input's."""
    if output_size is None and output_ratio is None:
        raise ValueError(
            f"fractional_max_pool{spatial}d requires specifying either an output_size or an "
            "output_ratio"
        )
    if output_size is not None:
        return list(_extents(output_size, spatial))
    single = isinstance(output_ratio, (int, float))
    ratios = [output_ratio] * spatial if single else list(output_ratio)
    if len(ratios) != spatial:
        raise ValueError(
            f"fractional_max_pool{spatial}d requires output_ratio to either be a single Int or "
            "tuple of Ints."
        )
    sizes = zip(input.shape[-spatial:], ratios, strict=True)
    return [int(size * ratio) for size, ratio in sizes]


def _fractional(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None,
    output_ratio: object,
    samples: Tensor | None,
    spatial: int,
) -> tuple[Tensor, Tensor]:
    size = _fractional_size(input, output_size, output_ratio, spatial)
    if samples is None:
        batch = 1 if input.dim() == spatial + 1 else input.size(0)
        channels = input.size(-spatial - 1)
        samples = torch.rand(batch, channels, spatial, dtype=input.dtype, device=input.device)
    operator = getattr(_nn, f"fractional_max_pool{spatial}d")
    return operator(input, _extents(kernel_size, spatial), size, samples)


@overridable
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute maxima of windows at random positions that cover the image, and their positions.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: Window size: one number, or two.
        output_size: Number of windows: one number, or two.
        output_ratio: The same as a fraction of the input's size.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, and their positions in the flattened H * W plane.

    Raises:
        ValueError: If neither a size nor a ratio is given.

    Example:
        >>> maxima, places = F.fractional_max_pool2d_with_indices(
        ...     torch.rand(1, 1, 7, 7), 2, output_ratio=(0.5, 0.5)
        ... )
        >>> maxima.shape
        torch.Size([1, 1, 3, 3])
    """
    return _fractional(input, kernel_size, output_size, output_ratio, _random_samples, 2)


@overridable
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute maxima of windows at random positions that cover the image.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: Window size: one number, or two.
        output_size: Number of windows: one number, or two.
        output_ratio: The same as a fraction of the input's size.
        return_indices: If True, also return the positions in the flattened H * W plane.

    Returns:
        The maxima, with their positions if requested.

    Raises:
        ValueError: If neither a size nor a ratio is given.

    Example:
        >>> F.fractional_max_pool2d(torch.rand(1, 1, 9, 9), 3, output_size=(4, 5)).shape
        torch.Size([1, 1, 4, 5])
    """
    result = _fractional(input, kernel_size, output_size, output_ratio, _random_samples, 2)
    return result if return_indices else result[0]


@overridable
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute maxima of windows at random positions that cover the volume, and their positions.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        kernel_size: Window size: one number, or three.
        output_size: Number of windows: one number, or three.
        output_ratio: The same as a fraction of the input's size.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, and their positions in the flattened D * H * W volume.

    Raises:
        ValueError: If neither a size nor a ratio is given.

    Example:
        >>> maxima, places = F.fractional_max_pool3d_with_indices(
        ...     torch.rand(1, 1, 7, 7, 7), 2, output_ratio=(0.5, 0.5, 0.5)
        ... )
        >>> places.shape
        torch.Size([1, 1, 3, 3, 3])
    """
    return _fractional(input, kernel_size, output_size, output_ratio, _random_samples, 3)


@overridable
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute maxima of windows at random positions that cover the volume.

    Args:
        input: Tensor of shape (N, C, D, H, W) or (C, D, H, W).
        kernel_size: Window size: one number, or three.
        output_size: Number of windows: one number, or three.
        output_ratio: The same as a fraction of the input's size.
        return_indices: If True, also return the positions in the flattened volume.

    Returns:
        The maxima, with their positions if requested.

    Raises:
        ValueError: If neither a size nor a ratio is given.

    Example:
        >>> F.fractional_max_pool3d(torch.rand(1, 1, 9, 9, 9), 3, output_size=4).shape
        torch.Size([1, 1, 4, 4, 4])
    """
    result = _fractional(input, kernel_size, output_size, output_ratio, _random_samples, 3)
    return result if return_indices else result[0]
