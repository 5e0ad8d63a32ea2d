"""Decompositions of reductions."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._decomp._tables import register_decomposition
from torch._decomp.tools import Tensor, aten, numel_of, precise, wrapped


@register_decomposition(aten.logsumexp.default)
@precise
def logsumexp(self: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    x = self if self.is_floating_point() else self.to(torch.get_default_dtype())
    dims = wrapped(dim, x.dim())
    if x.numel() == 0:
        return x.exp().sum(dims, keepdim=keepdim).log()
    largest = x.amax(dims, keepdim=True)
    largest = torch.where(largest.abs() == math.inf, torch.zeros_like(largest), largest)
    total = (x - largest).exp().sum(dims, keepdim=keepdim).log()
    return total + (largest if keepdim or not x.dim() else largest.squeeze(dims))


@register_decomposition(aten.nansum.default)
def nansum(
    self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    x = torch.where(self.isnan(), torch.zeros_like(self), self)
    if dim is None:
        return x.sum(dtype=dtype) if not keepdim else x.sum(wrapped(None, x.dim()), True)
    return x.sum(dim, keepdim, dtype=dtype)


@register_decomposition(aten.count_nonzero.dim_IntList)
def count_nonzero(self: Tensor, dim: Any) -> Tensor:
    return (self != 0).sum(dim)


@register_decomposition(aten.mean.dim)
@precise
def mean(
    self: Tensor, dim: Any, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    dims = wrapped(dim, self.dim())
    return self.sum(dims, keepdim, dtype=dtype) / numel_of(self, dims)
