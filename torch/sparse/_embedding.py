"""The lookup in a table whose gradient is sparse."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.sparse._tensor import make

Tensor = torch.Tensor


class SparseEmbedding(Function):
    """Look rows up; the gradient of the table has the rows that were looked up."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, indices: Tensor, padding: int) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.size, ctx.padding = weight.shape, padding
        return torch.embedding(weight, indices, padding)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (indices,) = ctx.saved_tensors
        rows = indices.reshape(-1).to(torch.int64)
        values = grad.reshape(-1, ctx.size[1])
        if ctx.padding >= 0:
            kept = (rows != ctx.padding).nonzero().squeeze(1)
            rows, values = rows[kept], values[kept]
        return make(rows.unsqueeze(0), values, ctx.size, coalesced=False), None, None
