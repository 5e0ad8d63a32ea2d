"""Pooling."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import handle_torch_function, has_torch_function_unary

Extent = int | Sequence[int]
OutputSize = int | Sequence[int | None] | None


def _stride(stride: Extent | None) -> Extent:
    """Return the stride in the operators' form: an empty list means the window size."""
    return [] if stride is None else stride


def _output_size(size: OutputSize, input: Tensor, spatial: int) -> int | Sequence[int]:
    """Return the output size of the last `spatial` dimensions. None keeps the input's size."""
    if isinstance(size, int):
        input.size()  # raises an error unless the input is a tensor
        return size
    requested = (None,) * spatial if size is None else tuple(size)
    current = input.size()
    if len(current) <= len(requested):
        raise ValueError(f"Input dimension should be at least {len(requested) + 1}")
    kept = current[len(current) - len(requested) :]
    return [old if new is None else new for new, old in zip(requested, kept, strict=True)]


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Compute the maximum of each window over the last dimension, and its position.

    Args:
        input: Tensor of shape (N, C, L) or (C, L).
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If True, also use windows that extend past the end.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, (N, C, L_out) or (C, L_out), and their positions.

    Example:
        >>> F.max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), kernel_size=2)
        (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            max_pool1d_with_indices,
            (input,),
            input,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
            return_indices=return_indices,
        )
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
    """Compute the maximum of each window over the last dimension.

    Args:
        input: Tensor of shape (N, C, L) or (C, L).
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If True, also use windows that extend past the end.
        return_indices: If True, also return the positions of the maxima.

    Returns:
        The maxima, (N, C, L_out) or (C, L_out), with their positions if requested.

    Example:
        >>> F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), kernel_size=2)
        tensor([[3., 2.]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            max_pool1d,
            (input,),
            input,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
            return_indices=return_indices,
        )
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
    """Compute the maximum of each window over the last two dimensions, and its position.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If True, also use windows that extend past the end.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, (N, C, H_out, W_out) or (C, H_out, W_out), and their positions in the
        flattened H * W plane.

    Example:
        >>> x = torch.tensor([[[1.0, 2.0], [4.0, 3.0]]])
        >>> F.max_pool2d_with_indices(x, kernel_size=2)
        (tensor([[[4.]]]), tensor([[[2]]]))
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            max_pool2d_with_indices,
            (input,),
            input,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
            return_indices=return_indices,
        )
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
    """Compute the maximum of each window over the last two dimensions.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        padding: Negative infinities added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If True, also use windows that extend past the end.
        return_indices: If True, also return the positions in the flattened H * W plane.

    Returns:
        The maxima, (N, C, H_out, W_out) or (C, H_out, W_out), with their positions if requested.

    Example:
        >>> x = torch.arange(16.0).reshape(1, 4, 4)
        >>> F.max_pool2d(x, kernel_size=2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            max_pool2d,
            (input,),
            input,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
            return_indices=return_indices,
        )
    operator = _nn.max_pool2d_with_indices if return_indices else torch.max_pool2d
    return operator(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """Compute maxima over a grid of windows that covers the input evenly, and their positions.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        output_size: Size of the grid: one number, or two. None keeps the input's size.
        return_indices: Accepted for compatibility; has no effect.

    Returns:
        The maxima, (N, C, *output_size) or (C, *output_size), and their positions in the flattened
        H * W plane.

    Example:
        >>> x = torch.arange(16.0).reshape(1, 4, 4)
        >>> F.adaptive_max_pool2d_with_indices(x, (1, 2))
        (tensor([[[13., 15.]]]), tensor([[[13, 15]]]))
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            adaptive_max_pool2d_with_indices,
            (input,),
            input,
            output_size,
            return_indices=return_indices,
        )
    return _nn.adaptive_max_pool2d(input, _output_size(output_size, input, 2))


def adaptive_max_pool2d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute maxima over a grid of windows that covers the input evenly.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        output_size: Size of the grid: one number, or two. None keeps the input's size.
        return_indices: If True, also return the positions in the flattened H * W plane.

    Returns:
        The maxima, (N, C, *output_size) or (C, *output_size), with their positions if requested.

    Example:
        >>> x = torch.arange(16.0).reshape(1, 4, 4)
        >>> F.adaptive_max_pool2d(x, (1, 2))
        tensor([[[13., 15.]]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            adaptive_max_pool2d, (input,), input, output_size, return_indices=return_indices
        )
    result = adaptive_max_pool2d_with_indices(input, output_size)
    return result if return_indices else result[0]


def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Compute means over a grid of windows that covers the input evenly.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        output_size: Size of the grid: one number, or two. None keeps the input's size.

    Returns:
        The means, (N, C, *output_size) or (C, *output_size).

    Example:
        >>> x = torch.arange(16.0).reshape(1, 4, 4)
        >>> F.adaptive_avg_pool2d(x, (1, 2))
        tensor([[[6.5000, 8.5000]]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(adaptive_avg_pool2d, (input,), input, output_size)
    return _nn.adaptive_avg_pool2d(input, _output_size(output_size, input, 2))


def lp_pool1d(
    input: Tensor,
    norm_type: int | float,
    kernel_size: int,
    stride: Extent | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute (sum of x^p)^(1/p) of each window over the last dimension.

    Negative sums count as 0.

    Args:
        input: Tensor of shape (N, C, L) or (C, L).
        norm_type: Exponent p.
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        ceil_mode: If True, also use windows that extend past the end.

    Returns:
        The norms, (N, C, L_out) or (C, L_out).

    Example:
        >>> F.lp_pool1d(torch.tensor([[3.0, 4.0, 6.0, 8.0]]), norm_type=2, kernel_size=2)
        tensor([[ 5., 10.]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            lp_pool1d, (input,), input, norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode
        )
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
    """Compute (sum of x^p)^(1/p) of each window over the last two dimensions.

    Negative sums count as 0.

    Args:
        input: Tensor of shape (N, C, H, W) or (C, H, W).
        norm_type: Exponent p.
        kernel_size: Window size.
        stride: Step between windows. The default is the window size.
        ceil_mode: If True, also use windows that extend past the end.

    Returns:
        The norms, (N, C, H_out, W_out) or (C, H_out, W_out).

    Example:
        >>> F.lp_pool2d(torch.ones(1, 2, 4), norm_type=2, kernel_size=2)
        tensor([[[2., 2.]]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            lp_pool2d, (input,), input, norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode
        )
    height, width = (kernel_size,) * 2 if isinstance(kernel_size, int) else kernel_size
    powers = _nn.avg_pool2d(input.pow(norm_type), kernel_size, _stride(stride), 0, ceil_mode)
    signed = torch.sign(powers) * torch.relu(torch.abs(powers))
    return signed.mul(height * width).pow(1.0 / norm_type)
