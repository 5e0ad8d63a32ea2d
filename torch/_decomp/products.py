"""Decompositions of products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import torch
from torch._decomp import register_decomposition
from torch._decomp.tools import Tensor, aten, precise


def _combined(self: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    # A factor of zero drops infinities and NaN of `self`.
    scaled = product if alpha == 1 else alpha * product
    if beta == 0:
        return scaled.expand(torch.broadcast_shapes(self.shape, scaled.shape))
    return (self if beta == 1 else beta * self) + scaled


@register_decomposition(aten.addmm.default)
@precise
def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _combined(self, mat1 @ mat2, beta, alpha)


@register_decomposition(aten.addmv.default)
@precise
def addmv(self: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _combined(self, torch.mv(mat, vec), beta, alpha)


@register_decomposition(aten.baddbmm.default)
@precise
def baddbmm(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    return _combined(self, torch.bmm(batch1, batch2), beta, alpha)


@register_decomposition(aten.mv.default)
@precise
def mv(self: Tensor, vec: Tensor) -> Tensor:
    return torch.mm(self, vec.unsqueeze(1)).squeeze(1)


@register_decomposition(aten.dot.default)
@precise
def dot(self: Tensor, tensor: Tensor) -> Tensor:
    return (self * tensor).sum(dtype=self.dtype)
