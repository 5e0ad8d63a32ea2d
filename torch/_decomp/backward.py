"""Decompositions of the gradients of rearrangements."""

from __future__ import annotations

from typing import Any

import torch
from torch._decomp._tables import register_decomposition
from torch._decomp.tools import Tensor, aten, precise


@register_decomposition(aten.select_backward.default)
def select_backward(grad_output: Tensor, input_sizes: Any, dim: int, index: int) -> Tensor:
    result = grad_output.new_zeros(input_sizes)
    result.select(dim, index).copy_(grad_output)
    return result


@register_decomposition(aten.slice_backward.default)
def slice_backward(
    grad_output: Tensor, input_sizes: Any, dim: int, start: int, end: int, step: int
) -> Tensor:
    result = grad_output.new_zeros(input_sizes)
    aten.slice.Tensor(result, dim, start, end, step).copy_(grad_output)
    return result


@register_decomposition(aten.diagonal_backward.default)
def diagonal_backward(
    grad_output: Tensor, input_sizes: Any, offset: int, dim1: int, dim2: int
) -> Tensor:
    result = grad_output.new_zeros(input_sizes)
    result.diagonal(offset, dim1, dim2).copy_(grad_output)
    return result


@register_decomposition(aten.unfold_backward.default)
@precise
def unfold_backward(grad_in: Tensor, input_sizes: Any, dim: int, size: int, step: int) -> Tensor:
    if not input_sizes:
        return grad_in.reshape(()).clone()
    axis = dim % len(input_sizes)
    places = torch.arange(input_sizes[axis], device=grad_in.device).unfold(0, size, step)
    moved = grad_in.movedim(-1, axis + 1).flatten(axis, axis + 1)
    return grad_in.new_zeros(input_sizes).index_add(axis, places.reshape(-1), moved)


@register_decomposition(aten.embedding_dense_backward.default)
@precise
def embedding_dense_backward(
    grad_output: Tensor,
    indices: Tensor,
    num_weights: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
) -> Tensor:
    places = indices.reshape(-1)
    gradient = grad_output.reshape(places.numel(), grad_output.shape[-1])
    if scale_grad_by_freq:
        count = gradient.new_zeros(num_weights).index_add(0, places, gradient.new_ones(len(places)))
        gradient = gradient / count.index_select(0, places).unsqueeze(1)
    kept = (places != padding_idx).unsqueeze(1)
    zeros = gradient.new_zeros(num_weights, gradient.shape[1])
    return zeros.index_add(0, places, gradient * kept)
