"""Decompositions of views, copies and other rearrangements."""

from __future__ import annotations

from typing import Any

import torch
from torch._decomp._tables import register_decomposition
from torch._decomp.tools import Tensor, aten


@register_decomposition(aten.t.default)
def t(self: Tensor) -> Tensor:
    if self.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.dim()}D")
    return self.view_as(self) if self.dim() < 2 else self.transpose(0, 1)


@register_decomposition(aten.transpose.int)
def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    order = list(range(self.dim()))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return self.permute(order)


@register_decomposition(aten.detach.default)
def detach(self: Tensor) -> Tensor:
    return self.view_as(self)


@register_decomposition(aten._reshape_alias.default)
def reshape_alias(self: Tensor, size: Any, stride: Any) -> Tensor:
    return self.view(size)


@register_decomposition(aten._unsafe_view.default)
def unsafe_view(self: Tensor, size: Any) -> Tensor:
    return self.view(size)


@register_decomposition(aten.unbind.int)
def unbind(self: Tensor, dim: int = 0) -> list[Tensor]:
    return [self.select(dim, i) for i in range(self.shape[dim])]


@register_decomposition(aten.split.Tensor)
def split(self: Tensor, split_size: int, dim: int = 0) -> list[Tensor]:
    total = self.shape[dim]
    starts = range(0, max(total, 1), split_size) if split_size else [0]
    return [self.narrow(dim, i, min(split_size, total - i)) for i in starts]


@register_decomposition(aten.split_with_sizes.default)
def split_with_sizes(self: Tensor, split_sizes: Any, dim: int = 0) -> list[Tensor]:
    pieces, start = [], 0
    for length in split_sizes:
        pieces.append(self.narrow(dim, start, length))
        start += length
    return pieces


@register_decomposition(aten.stack.default)
def stack(tensors: Any, dim: int = 0) -> Tensor:
    return torch.cat([each.unsqueeze(dim) for each in tensors], dim)


@register_decomposition(aten.roll.default)
def roll(self: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    steps = [shifts] if isinstance(shifts, int) else list(shifts)
    if not dims:
        return roll(self.reshape(-1), steps, [0]).reshape(self.shape)
    result = self
    for step, dim in zip(steps, [dims] if isinstance(dims, int) else dims, strict=True):
        size = self.shape[dim]
        if size:
            places = (torch.arange(size, device=self.device) - step) % size
            result = result.index_select(dim, places)
    return result.clone() if result is self else result


def _distances(self: Tensor, diagonal: int) -> Tensor:
    rows = torch.arange(self.shape[-2], device=self.device).unsqueeze(1)
    return torch.arange(self.shape[-1], device=self.device) - rows - diagonal


@register_decomposition(aten.tril.default)
def tril(self: Tensor, diagonal: int = 0) -> Tensor:
    return torch.where(_distances(self, diagonal) <= 0, self, torch.zeros_like(self))


@register_decomposition(aten.triu.default)
def triu(self: Tensor, diagonal: int = 0) -> Tensor:
    return torch.where(_distances(self, diagonal) >= 0, self, torch.zeros_like(self))


@register_decomposition(aten.eye.m)
def eye(n: int, m: int, **options: Any) -> Tensor:
    kept = {name: value for name, value in options.items() if value is not None}
    places = {"device": kept["device"]} if "device" in kept else {}
    same = torch.arange(n, **places).unsqueeze(1) == torch.arange(m, **places)
    return same.to(kept.get("dtype") or torch.get_default_dtype())


@register_decomposition(aten.pixel_shuffle.default)
def pixel_shuffle(self: Tensor, upscale_factor: int) -> Tensor:
    r = upscale_factor
    *outer, channels, height, width = self.shape
    parts = self.reshape([*outer, channels // (r * r), r, r, height, width])
    rank = len(outer)
    order = [*range(rank + 1), rank + 3, rank + 1, rank + 4, rank + 2]
    return parts.permute(order).reshape([*outer, channels // (r * r), height * r, width * r])


@register_decomposition(aten.pixel_unshuffle.default)
def pixel_unshuffle(self: Tensor, downscale_factor: int) -> Tensor:
    r = downscale_factor
    *outer, channels, height, width = self.shape
    parts = self.reshape([*outer, channels, height // r, r, width // r, r])
    rank = len(outer)
    order = [*range(rank + 1), rank + 2, rank + 4, rank + 1, rank + 3]
    return parts.permute(order).reshape([*outer, channels * r * r, height // r, width // r])


@register_decomposition(aten.embedding.default)
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    rows = weight.index_select(0, indices.reshape(-1))
    return rows.reshape([*indices.shape, *weight.shape[1:]])


@register_decomposition(aten.index_copy.default)
def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    if not self.dim():
        return source.reshape(()).clone()
    rank = dim % self.dim()
    return self.index_put((*([None] * rank), index.reshape(-1)), source)


@register_decomposition(aten.index_add.default)
def index_add(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    if not self.dim():
        return self + alpha * source.reshape(())
    rank = dim % self.dim()
    values = source if alpha == 1 else (source * alpha).to(self.dtype)
    return self.index_put((*([None] * rank), index.reshape(-1)), values, accumulate=True)
