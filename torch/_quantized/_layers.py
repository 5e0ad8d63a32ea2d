"""Pooling and normalization of quantized tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._quantized._quantizers import PerTensor
from torch._quantized._tensor import QuantizedTensor, wrap

Tensor = torch.Tensor


def quantized_max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = (),
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the greatest numbers of windows of a quantized tensor; see `torch.nn.functional.max_pool1d`.

    Args:
        input: A quantized tensor, (N, C, L) or (C, L).
        kernel_size: The length of a window.
        stride: The distance of windows; `kernel_size` by default.
        padding: How many elements are added on both sides.
        dilation: The distance of the elements of a window.
        ceil_mode: Whether a last window may exceed the input.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([[1.0, 3.0, 2.0, 4.0]]), 1.0, 0, torch.quint8)
        >>> torch.quantized_max_pool1d(x, 2).int_repr()
        tensor([[3, 4]], dtype=torch.uint8)
    """
    steps = stride or kernel_size
    return torch.nn.functional.max_pool1d(input, kernel_size, steps, padding, dilation, ceil_mode)  # type: ignore[no-any-return]


def quantized_max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = (),
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the greatest numbers of windows of a quantized tensor; see `torch.nn.functional.max_pool2d`.

    Args:
        input: A quantized tensor, (N, C, H, W) or (C, H, W).
        kernel_size: The height and width of a window.
        stride: The distance of windows; `kernel_size` by default.
        padding: How many elements are added on each side.
        dilation: The distance of the elements of a window.
        ceil_mode: Whether a last window may exceed the input.

    Example:
        >>> x = torch.quantize_per_tensor(torch.arange(4.0).view(1, 1, 2, 2), 1.0, 0, torch.quint8)
        >>> torch.quantized_max_pool2d(x, 2).int_repr()
        tensor([[[[3]]]], dtype=torch.uint8)
    """
    steps = stride or kernel_size
    return torch.nn.functional.max_pool2d(input, kernel_size, steps, padding, dilation, ceil_mode)  # type: ignore[no-any-return]


def quantized_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    var: Tensor,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """Normalize the channels of a quantized tensor with given moments.

    Args:
        input: A quantized tensor, (N, C, ...).
        weight: The factor of each channel, (C), or None.
        bias: The number to add to each channel, (C), or None.
        mean: The mean of each channel, (C).
        var: The variance of each channel, (C).
        eps: A number to add to the variance.
        output_scale: The scale of the result.
        output_zero_point: The zero point of the result.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 1, 1), 0.5, 0, torch.quint8)
        >>> zero, one = torch.zeros(1), torch.ones(1)
        >>> torch.quantized_batch_norm(x, one, zero, zero, one, 0.0, 0.5, 1).int_repr()
        tensor([[[[3]]]], dtype=torch.uint8)
    """
    quantized: Any = input
    if not isinstance(input, QuantizedTensor):
        raise NotImplementedError(
            "Could not run 'aten::quantized_batch_norm' with arguments from the "
            f"'{input.device.type.upper()}' backend: the tensor is not quantized."
        )
    values = torch.nn.functional.batch_norm(
        quantized.dequantize(), mean, var, weight, bias, False, 0.0, eps
    )
    quantizer = PerTensor(float(output_scale), int(output_zero_point))
    return wrap(quantizer.requantize(values, input.dtype), quantizer, input.dtype)
