"""Bytes that hold several integers of quint4x2 and quint2x4; the first integer is in the lowest bits."""

from __future__ import annotations

import torch
from torch._quantized._quantizers import quantized_dtype

Tensor = torch.Tensor


def packed(integers: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the bytes of integers: (..., n) has (..., ceil(n / integers per byte)) bytes.

    Integers of 8 bits or more are returned as they are.
    """
    count = quantized_dtype(dtype).per_byte
    if count == 1:
        return integers
    bits = 8 // count
    shape = (*integers.shape[:-1], -(-integers.shape[-1] // count)) if integers.dim() else ()
    groups = torch.nn.functional.pad(integers.flatten(), (0, -integers.numel() % count))
    total = sum(
        part.int() << (bits * place) for place, part in enumerate(groups.reshape(-1, count).t())
    )
    used = torch.zeros(shape, dtype=torch.uint8, device=integers.device)
    used.view(-1)[: len(total)] = total.to(torch.uint8)[: used.numel()]
    return used


def unpacked(data: Tensor, size: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Return the integers that bytes hold.

    Args:
        data: The bytes.
        size: The shape of the integers.
        dtype: The quantized dtype.
    """
    count = quantized_dtype(dtype).per_byte
    bits = 8 // count
    wide = data.flatten().int()
    parts = [(wide >> (bits * place)) & (2**bits - 1) for place in range(count)]
    total = torch.Size(size).numel()
    return torch.stack(parts, 1).flatten()[:total].reshape(size).to(torch.uint8)
