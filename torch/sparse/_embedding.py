"""Lookups whose gradient is sparse: those of rows in a table, and gather."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.sparse._tensor import make

Tensor = torch.Tensor


def _refuse_scaling(scaled: bool) -> None:
    if scaled:
        raise RuntimeError(
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
        )


class SparseEmbedding(Function):
    """Look rows up; the gradient of the table has the rows that were looked up."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, indices: Tensor, padding: int, scaled: bool) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.size, ctx.padding, ctx.scaled = weight.shape, padding, scaled
        return torch.embedding(weight, indices, padding)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (indices,) = ctx.saved_tensors
        _refuse_scaling(ctx.scaled)
        # The gradient must not change with the caller's indices.
        rows = indices.reshape(-1).to(torch.int64, copy=True)
        if ctx.size[1] == 0:
            rows = rows[:0]
        values = grad.reshape(rows.numel(), ctx.size[1])
        if ctx.padding >= 0:
            kept = (rows != ctx.padding).nonzero().squeeze(1)
            rows, values = rows[kept], values[kept]
        return make(rows.unsqueeze(0), values, ctx.size, coalesced=False), None, None, None


class SparseEmbeddingBag(Function):
    """Join rows into bags; the gradient of the table has the rows that were looked up.

    `bags` names the bag of each row, and `factors` what its gradient is multiplied by.
    """

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, factors: Tensor | None, indices: Tensor, bags: Tensor, rest: Any
    ) -> Tensor:
        offsets, mode, last, padding, ctx.scaled = rest
        ctx.save_for_backward(weight, factors, indices, bags)
        ctx.padding, ctx.is_mean = padding, mode == 1
        given = None if mode == 1 else factors
        return torch.embedding_bag(
            weight, indices, offsets, False, mode, True, given, last, padding
        )[0]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        weight, factors, indices, bags = ctx.saved_tensors
        _refuse_scaling(ctx.scaled)
        rows = grad.index_select(0, bags)
        numbers = indices.to(torch.int64)
        of_factors = None
        if ctx.needs_input_grad[1]:
            of_factors = (rows * weight.index_select(0, numbers)).sum(1)
        if factors is not None:
            rows = rows * factors.unsqueeze(1)
        if ctx.padding is not None:
            padding = ctx.padding % weight.size(0)
            kept = (numbers != padding).nonzero().squeeze(1)
            numbers, rows = numbers[kept], rows[kept]
            if of_factors is not None:
                of_factors = of_factors.masked_fill(indices == padding, 0)
        table = make(numbers.unsqueeze(0), rows, weight.shape, coalesced=False)
        return table, of_factors, None, None, None


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    mode: int,
    factors: Tensor | None,
    last: bool,
    padding: int | None,
    scaled: bool,
) -> Tensor:
    """Compute torch.embedding_bag for a table that gets a sparse gradient.

    Args:
        weight: The table.
        indices: The rows, all bags in one row.
        offsets: Where each bag begins.
        mode: 0 for sums, 1 for means.
        factors: A factor for each row, or None.
        last: Whether the last offset is the end of the last bag.
        padding: The row that counts nothing, or None.
        scaled: Whether gradients are to be scaled by frequency, which backward refuses.
    """
    starts = offsets[:-1] if last else offsets
    places = torch.arange(indices.numel(), device=indices.device)
    bags = torch.searchsorted(starts.to(torch.int64), places, right=True).sub_(1).clamp_min_(0)
    if mode == 1 and starts.numel() > 0:
        counts = torch.ones_like(indices, dtype=weight.dtype)
        if padding is not None:
            counts = counts.masked_fill(indices == padding % weight.size(0), 0)
        sizes = weight.new_zeros(starts.numel()).index_add(0, bags, counts)
        factors = sizes.clamp_min(1).reciprocal().index_select(0, bags)
    rest = offsets, mode, last, padding, scaled
    return SparseEmbeddingBag.apply(  # type: ignore[no-any-return, no-untyped-call]
        weight, factors, indices, bags, rest
    )


def gather_backward(grad: Tensor, sizes: Any, dim: int, index: Tensor) -> Tensor:
    """Compute the sparse gradient of gather, which has an element for each one that was gathered.

    Args:
        grad: The gradient of the result.
        sizes: The size of the gathered tensor.
        dim: The dimension along which it was gathered, not negative.
        index: The indices.
    """
    if sizes:
        index = index.reshape(index.shape or (1,))
        axes = [torch.arange(n, device=index.device) for n in index.shape]
        places = list(torch.meshgrid(*axes, indexing="ij"))
        places[dim] = index.to(torch.int64)
        # stack copies: the gradient must not change with the caller's indices.
        indices = torch.stack(places).flatten(1)
    else:
        indices = index.new_empty((0, index.numel()), dtype=torch.int64)
    values = grad.reshape(-1)
    return make(indices, values, sizes, coalesced=values.numel() < 2)  # type: ignore[no-any-return]
