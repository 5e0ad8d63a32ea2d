"""Unpooling: the inverse of max pooling, with zeros at the other elements; loaded at first use."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch._C import _nn
from torch.nn.functional._overridable import overridable
from torch.nn.functional._pooling import Extent
from torch.nn.functional._pooling3d import _extents


def _unpooled_size(
    input: Tensor,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    requested: Sequence[int] | None,
) -> list[int]:
    """Return the requested size, or the smallest that a pooling makes the input from."""
    spatial = len(kernel)
    extents = zip(input.shape[-spatial:], kernel, stride, padding, strict=True)
    default = [(size - 1) * step + width - 2 * pad for size, width, step, pad in extents]
    if requested is None:
        return default
    requested = list(requested)
    if len(requested) == spatial + 2:
        requested = requested[2:]
    if len(requested) != spatial:
        raise ValueError(
            "output_size should be a sequence containing "
            f"{spatial} or {spatial + 2} elements, but it has a length of '{len(requested)}'"
        )
    for d, size in enumerate(requested):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < size < high:
            raise ValueError(
                f'invalid output_size "{requested}" (dim {d} must be between {low} and {high})'
            )
    return requested


def _arguments(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None,
    padding: Extent,
    output_size: Sequence[int] | None,
    spatial: int,
) -> tuple[list[int], tuple[int, ...], tuple[int, ...]]:
    kernel, pads = _extents(kernel_size, spatial), _extents(padding, spatial)
    steps = kernel if stride is None else _extents(stride, spatial)
    for name, values in (("kernel_size", kernel), ("stride", steps), ("padding", pads)):
        if len(values) != spatial:
            raise RuntimeError(
                f"max_unpool{spatial}d: {name} must have {spatial} numbers, got {len(values)}"
            )
    return _unpooled_size(input, kernel, steps, pads, output_size), steps, pads


@overridable
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put the maxima of a pooling back to their positions.

    Args:
        input: Maxima, (N, C, L) or (C, L).
        indices: Their positions, from max_pool1d.
        kernel_size: Window size of the pooling.
        stride: Its step. The default is the window size.
        padding: Its padding.
        output_size: Size of the pooling's input, if several have this result.

    Returns:
        A tensor of the size of the pooling's input, with zeros elsewhere.

    Raises:
        ValueError: If no pooling makes the input from that size.

    Example:
        >>> maxima, places = F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, 2, 0, 1, False, True)
        >>> F.max_unpool1d(maxima, places, 2)
        tensor([[0., 3., 2., 0.]])
    """
    size, _, _ = _arguments(input, kernel_size, stride, padding, output_size, 1)
    return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


@overridable
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put the maxima of a pooling back to their positions.

    Args:
        input: Maxima, (N, C, H, W) or (C, H, W).
        indices: Their positions, from max_pool2d.
        kernel_size: Window size of the pooling.
        stride: Its step. The default is the window size.
        padding: Its padding.
        output_size: Size of the pooling's input, if several have this result.

    Returns:
        A tensor of the size of the pooling's input, with zeros elsewhere.

    Raises:
        ValueError: If no pooling makes the input from that size.

    Example:
        >>> F.max_unpool2d(torch.tensor([[[5.0]]]), torch.tensor([[[2]]]), 2)
        tensor([[[0., 0.],
                 [5., 0.]]])
    """
    size, _, _ = _arguments(input, kernel_size, stride, padding, output_size, 2)
    return _nn.max_unpool2d(input, indices, size)


@overridable
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put the maxima of a pooling back to their positions.

    Args:
        input: Maxima, (N, C, D, H, W) or (C, D, H, W).
        indices: Their positions, from max_pool3d.
        kernel_size: Window size of the pooling.
        stride: Its step. The default is the window size.
        padding: Its padding.
        output_size: Size of the pooling's input, if several have this result.

    Returns:
        A tensor of the size of the pooling's input, with zeros elsewhere.

    Raises:
        ValueError: If no pooling makes the input from that size.

    Example:
        >>> F.max_unpool3d(torch.tensor([[[[5.0]]]]), torch.tensor([[[[1]]]]), (1, 1, 2))
        tensor([[[[0., 5.]]]])
    """
    size, steps, pads = _arguments(input, kernel_size, stride, padding, output_size, 3)
    return _nn.max_unpool3d(input, indices, size, steps, pads)
