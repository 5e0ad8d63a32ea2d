"""Hashes of elements, composed of operators."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch._composites import wrapped_axis
from torch._outputs import into, kind_of

if TYPE_CHECKING:
    from torch import Tensor


def hash_tensor(
    input: Tensor,
    dim: int | Sequence[int] | None = None,
    *,
    keepdim: bool = False,
    mode: int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """Combine the bits of elements, as 64-bit numbers, by exclusive or.

    Args:
        input: The elements: real numbers, which count as float64 or int64.
        dim: The dimensions to reduce; all by default.
        keepdim: Whether the result keeps the reduced dimensions with size 1.
        mode: The hash; 0 is the only one.
        out: A tensor of dtype uint64 to write the result to.

    Raises:
        RuntimeError: If there is no such mode, or nothing to hash.

    Example:
        >>> torch.hash_tensor(torch.tensor([[1, 2], [4, 12]]), 1)
        tensor([3, 8], dtype=torch.uint64)
    """
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if input.is_complex():
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{kind_of(input)}'")
    if out is not None and out.dtype != torch.uint64:
        raise RuntimeError(f"Expected result to be of dtype uint64, but got {kind_of(out)}")
    given = [dim] if isinstance(dim, int) else list(dim or ())
    if not given and input.numel() == 0:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    count = input.dim()
    for d in given:
        if count and input.shape[wrapped_axis(d, count)] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    reduced = sorted(wrapped_axis(d, count) for d in given) if given else list(range(count))
    for d, following in itertools.pairwise(reduced):
        if d == following:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    kept = [d for d in range(count) if d not in reduced]
    wide = input.detach().to(torch.float64 if input.is_floating_point() else torch.int64)
    bits = wide.contiguous().view(torch.int64) if count else wide.reshape(1).view(torch.int64)
    rows = 1
    for d in kept:
        rows *= input.shape[d]
    if count:
        length = 1
        for d in reduced:
            length *= input.shape[d]
        bits = bits.permute(*kept, *reduced).reshape(rows, length)
    result = _exclusive_or(bits.reshape(rows, -1) if bits.numel() else bits.reshape(rows, 0))
    shape = [1 if d in reduced else n for d, n in enumerate(input.shape) if keepdim or d in kept]
    return into(result.reshape(shape).view(torch.uint64), out)


def _exclusive_or(rows: Tensor) -> Tensor:
    """Fold rows in halves until one column is left."""
    if rows.shape[1] == 0:
        return rows.new_zeros(rows.shape[0])
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        folded = rows[:, :half] ^ rows[:, half : 2 * half]
        rows = torch.cat((folded, rows[:, 2 * half :]), 1)
    return rows[:, 0]
