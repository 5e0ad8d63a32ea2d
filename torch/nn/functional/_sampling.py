"""Sampling of images at points, and their sliding blocks; loaded at first use."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn
from torch.nn.functional._overridable import overridable

_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


@overridable
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Read images or volumes at given points.

    Args:
        input: Images (N, C, H, W), or volumes (N, C, D, H, W).
        grid: Points (x, y) as (N, H_out, W_out, 2), or (x, y, z) as (N, D_out, H_out, W_out, 3).
            The images extend from -1 to 1.
        mode: ``bilinear``, ``nearest`` or ``bicubic`` (only for images).
        padding_mode: What points outside read: ``zeros``, the ``border``, or a ``reflection``.
        align_corners: If True, -1 and 1 are the centers of the corner pixels. Otherwise, they are
            the outer corners.

    Returns:
        The values, (N, C, H_out, W_out) or (N, C, D_out, H_out, W_out).

    Raises:
        ValueError: If a mode is unknown.

    Example:
        >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> F.grid_sample(image, torch.zeros(1, 1, 1, 2), align_corners=True)
        tensor([[[[2.5000]]]])
    """
    if mode not in _MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.",
            stacklevel=3,
        )
        align_corners = False
    return torch.grid_sampler(input, grid, _MODES[mode], _PADDINGS[padding_mode], align_corners)


@overridable
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Make a grid for grid_sample that moves the points of a regular grid by an affine map.

    Args:
        theta: Matrices, (N, 2, 3) for images or (N, 3, 4) for volumes.
        size: Size of the output, (N, C, H, W) or (N, C, D, H, W).
        align_corners: If True, -1 and 1 are the centers of the corner pixels.

    Returns:
        The grid, (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
        ValueError: If the matrices do not fit the size.

    Example:
        >>> identity = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> F.affine_grid(identity, (1, 1, 2, 2), align_corners=True)
        tensor([[[[-1., -1.],
                  [ 1., -1.]],
        <BLANKLINE>
                 [[-1.,  1.],
                  [ 1.,  1.]]]])
    """
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.",
            stacklevel=3,
        )
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    rows = {4: 2, 5: 3}.get(len(size))
    if rows is None:
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (rows, rows + 1):
        raise ValueError(
            f"Expected a batch of {rows}D affine matrices of shape Nx{rows}x{rows + 1} for size "
            f"{size}. Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if align_corners and min(size[2:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True. This is not an intended use case of affine_grid. See the "
            "documentation of affine_grid for details.",
            stacklevel=3,
        )
    return torch.affine_grid_generator(theta, size, align_corners)


def _pair(value: int | Sequence[int]) -> Sequence[int]:
    return (value, value) if isinstance(value, int) else value


@overridable
def unfold(
    input: Tensor,
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """Extract sliding blocks of images as columns.

    Args:
        input: Images, (N, C, H, W) or (C, H, W).
        kernel_size: Size of a block: one number, or two.
        dilation: Step between the elements of a block.
        padding: Zeros added on both sides.
        stride: Step between blocks.

    Returns:
        The columns, (N, C * block size, number of blocks) or without N.

    Example:
        >>> F.unfold(torch.arange(6.0).reshape(1, 2, 3), (2, 2))
        tensor([[0., 1.],
                [1., 2.],
                [3., 4.],
                [4., 5.]])
    """
    return _nn.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


@overridable
def fold(
    input: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """Sum sliding blocks into images; the opposite of unfold.

    Args:
        input: Columns, (N, C * block size, number of blocks) or without N.
        output_size: Size of the images: one number, or two.
        kernel_size: Size of a block: one number, or two.
        dilation: Step between the elements of a block.
        padding: Width of the border that is cut off.
        stride: Step between blocks.

    Returns:
        The images, (N, C, *output_size) or (C, *output_size).

    Example:
        >>> F.fold(torch.ones(4, 2), (2, 3), (2, 2))
        tensor([[[1., 2., 1.],
                 [1., 2., 1.]]])
    """
    return _nn.col2im(
        input,
        _pair(output_size),
        _pair(kernel_size),
        _pair(dilation),
        _pair(padding),
        _pair(stride),
    )
