"""Bytes that hold several integers of quint4x2 and quint2x4; the first integer is in the lowest bits."""

from __future__ import annotations

import torch
from torch._quantized._quantizers import quantized_dtype

Tensor = torch.Tensor


def packed(integers: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the bytes of integers of less than 8 bits, in one dimension; others are returned as they are."""
    count = quantized_dtype(dtype).per_byte
    if count == 1:
        return integers
    bits = 8 // count
    flat = integers.flatten().int()
    groups = torch.cat([flat, flat.new_zeros(-len(flat) % count)]).reshape(-1, count)
    factors = torch.tensor([2 ** (bits * place) for place in range(count)], device=flat.device)
    return (groups * factors).sum(1).to(torch.uint8)


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
