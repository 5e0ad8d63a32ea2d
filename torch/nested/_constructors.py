"""Checks and conversions with which nested tensors are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nested._base import make
from torch.nested._internal.nested_tensor import Jagged
from torch.nested._strided import Strided, pack

Tensor = torch.Tensor


def jagged(
    values: Tensor,
    offsets: Tensor,
    lengths: Tensor | None = None,
    ragged_idx: int = 1,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Any:
    """Return a nested tensor of packed values, to which gradients flow."""
    known = {"min_seqlen": min_seqlen, "max_seqlen": max_seqlen}
    cache = {name: torch.zeros(n, 0) for name, n in known.items() if n is not None}
    return make(values, Jagged(offsets, lengths, ragged_idx, cache))


def jagged_from_list(tensors: Sequence[Tensor], dtype: Any, device: Any) -> Any:
    """Return a jagged nested tensor of a copy of components.

    Raises:
        RuntimeError: If they differ in more than one dimension, or in dtype, device or rank.
    """
    _check_components(tensors)
    packed = _ragged_dim([tensor.shape for tensor in tensors])
    values = torch.cat(list(tensors), packed).to(device=device, dtype=dtype)
    lengths = [tensor.shape[packed] for tensor in tensors]
    offsets = torch.tensor([0, *lengths], device=values.device).cumsum(0)
    return jagged(values, offsets, None, packed + 1, min(lengths), max(lengths))


def _check_components(tensors: Sequence[Tensor]) -> None:
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    for what, found in (
        ("have the same dtype", {t.dtype for t in tensors}),
        ("be on the same device", {t.device for t in tensors}),
        ("have the same dim", {t.dim() for t in tensors}),
    ):
        if len(found) != 1:
            raise RuntimeError(
                f"When constructing a nested tensor, all tensors in list must {what}"
            )
    if not tensors[0].dim():
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")


def _ragged_dim(sizes: list[Any]) -> int:
    ragged = [d for d in range(len(sizes[0])) if len({size[d] for size in sizes}) > 1]
    if len(ragged) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. "
            "Note that the jagged layout only allows for a single ragged dimension. "
            "For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    return ragged[0] if ragged else 0


def jagged_from_tensor(tensor: Tensor, dtype: Any, device: Any) -> Any:
    """Return a jagged nested tensor of the rows of a tensor."""
    batch, length = tensor.shape[:2]
    values = tensor.contiguous().flatten(0, 1).to(device=device, dtype=dtype)
    offsets = torch.arange(batch + 1, device=values.device) * length
    return jagged(values, offsets, min_seqlen=length, max_seqlen=length)


def strided_from_tensor(tensor: Tensor, dtype: Any, device: Any) -> Any:
    """Return a strided nested tensor of the rows of a tensor, a view if it is contiguous."""
    sizes = (tuple(tensor.shape[1:]),) * len(tensor)
    values = tensor.to(device=device, dtype=dtype).reshape(-1)
    return make(values, Strided.contiguous(sizes, tensor.dim() - 1))


def strided_from_list(tensors: Sequence[Tensor], dtype: Any, device: Any) -> Any:
    """Return a strided nested tensor of a copy of components.

    Raises:
        RuntimeError: If they differ in rank or dtype.
    """
    if not tensors:
        return pack([], 0)
    ranks = {tensor.dim() for tensor in tensors}
    if len(ranks) != 1:
        raise RuntimeError(
            "All Tensors given to nested_tensor must have the same dimension. "
            f"Found dimension {tensors[-1].dim()} for Tensor at index {len(tensors) - 1} and "
            f"dimension {tensors[0].dim()} for Tensor at index 0."
        )
    dtype, device = dtype or tensors[0].dtype, device or tensors[0].device
    return pack([tensor.to(device=device, dtype=dtype) for tensor in tensors])


def jagged_narrow(tensor: Tensor, starts: Tensor, lengths: Tensor) -> Any:
    """Return a jagged nested tensor of a part of each row, a view of the tensor."""
    batch, longest = tensor.shape[:2]
    if any(each.dim() > 1 or each.numel() not in (1, batch) for each in (starts, lengths)):
        raise RuntimeError(
            "When constructing a jagged nested tensor using narrow(), "
            "your start and length must be Tensors that broadcast to input.shape[0]"
        )
    starts, counts = starts.expand(batch), lengths.expand(batch)
    rows = longest * torch.arange(batch, device=tensor.device)
    offsets = torch.cat([starts + rows, (starts[-1] + rows[-1] + counts[-1]).unsqueeze(0)])
    values = tensor.view(-1, *tensor.shape[2:])
    extremes = int(lengths.min()), int(lengths.max())
    whole_rows = (
        bool((counts[1:-1] == longest).all())
        and bool((offsets[1:-2].diff() == longest).all())
        and int(offsets[0] + counts[0]) == longest
    )
    if whole_rows:
        first, last = int(offsets[0]), int(offsets[-1])
        return jagged(values[first:last], offsets - first, None, 1, *extremes)
    return jagged(values, offsets, counts.contiguous(), 1, *extremes)
