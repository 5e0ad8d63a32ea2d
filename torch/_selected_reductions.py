"""Reductions by index, and hashes of elements, composed of operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch._outputs import into

if TYPE_CHECKING:
    from torch import Tensor


def _kind(input: Tensor) -> str:
    return input.type().rpartition(".")[2].removesuffix("Tensor")


def _check_index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str
) -> None:
    """Check the arguments of index_reduce, with PyTorch's messages."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    if index.dim() > 1:
        raise IndexError(
            f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.dim()} with "
            f"type: {_kind(index)} and size: {list(index.shape)}"
        )
    if index.dtype not in (torch.int32, torch.int64):
        raise RuntimeError(
            f"index_reduce_(): Expected dtype int32/int64 for index but got: {_kind(index)}"
        )
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"index_reduce_(): self ({_kind(input)}) and source ({_kind(source)}) must have the same "
            "scalar type"
        )
    shape, given = list(input.shape), list(source.shape)
    if len(shape) != len(given) or any(
        a != b for d, (a, b) in enumerate(zip(shape, given, strict=True)) if d != dim
    ):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {shape} source.shape = {given}"
        )
    along = source.shape[dim] if source.dim() else 1
    if index.numel() != along:
        raise RuntimeError(
            f"index_reduce_(): Number of indices ({index.numel()}) should be equal to "
            f"source.size(dim): ({along}), for dim: {dim}"
        )
    if input.dtype == torch.bool or input.is_complex():
        raise NotImplementedError(f"\"index_func_\" not implemented for '{_kind(input)}'")


def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Reduce slices of `source` into the slices of `input` that an index names.

    Args:
        input: The tensor whose slices are the initial values.
        dim: The dimension along which `index` counts.
        index: For each slice of `source`, the slice of `input` that it is reduced into.
        source: The slices, of the shape of `input` except in `dim`.
        reduce: `prod`, `mean`, `amax` or `amin`.
        include_self: Whether the slices of `input` take part in the reduction.
        out: A tensor to write the result to.

    Raises:
        RuntimeError: If the shapes or the dtypes do not fit together.
        IndexError: If an index is out of range.

    Example:
        >>> index, source = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
        >>> torch.index_reduce(torch.zeros(2), 0, index, source, "amax")
        tensor([2., 3.])
    """
    count = max(input.dim(), 1)
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got "
            f"{dim})"
        )
    dim %= count
    _check_index_reduce(input, dim, index, source, reduce)
    values = input if input.dim() else input.unsqueeze(0)
    slices = source if source.dim() else source.unsqueeze(0)
    size = values.shape[dim]
    if index.numel() and not index.is_meta and not (index.min() >= 0 and index.max() < size):
        raise IndexError("index out of range in self")
    shape = [-1 if d == dim else 1 for d in range(count)]
    places = index.to(torch.int64).reshape(shape).expand(slices.shape)
    result = torch.scatter_reduce(values, dim, places, slices, reduce, include_self=include_self)
    return into(result.reshape(input.shape), out)


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
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{_kind(input)}'")
    if out is not None and out.dtype != torch.uint64:
        raise RuntimeError(f"Expected result to be of dtype uint64, but got {_kind(out)}")
    given = [dim] if isinstance(dim, int) else list(dim or ())
    if not given and input.numel() == 0:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    count = input.dim()
    reduced = sorted({d % max(count, 1) for d in given} if given else range(count))
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
