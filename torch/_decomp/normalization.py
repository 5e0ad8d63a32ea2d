"""Decompositions of softmax, normalizations and dropout, and of their gradients."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._decomp._tables import register_decomposition
from torch._decomp.tools import Tensor, aten, lowered, precise, raised


@register_decomposition(aten._softmax.default)
def softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    x = raised(self)
    if x.numel() == 0:
        return x.exp() if half_to_float else x.exp().to(self.dtype)
    exponential = (x - x.amax(dim, keepdim=True)).exp()
    result = exponential / exponential.sum(dim, keepdim=True)
    return result if half_to_float else result.to(self.dtype)


@register_decomposition(aten._log_softmax.default)
def log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    x = raised(self)
    if x.numel():
        shifted = x - x.amax(dim, keepdim=True)
        x = shifted - shifted.exp().sum(dim, keepdim=True).log()
    return x if half_to_float else x.to(self.dtype)


@register_decomposition(aten._softmax_backward_data.default)
def softmax_backward(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype
) -> Tensor:
    gradient, result = raised(grad_output), raised(output)
    scaled = gradient * result
    return (scaled - result * scaled.sum(dim, keepdim=True)).to(input_dtype)


@register_decomposition(aten._log_softmax_backward_data.default)
def log_softmax_backward(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype
) -> Tensor:
    gradient, result = raised(grad_output), raised(output)
    return (gradient - result.exp() * gradient.sum(dim, keepdim=True)).to(input_dtype)


def _normalized(x: Tensor, dims: list[int], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    variance, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
    rstd = (variance + eps).rsqrt()
    return (x - mean) * rstd, mean, rstd


@register_decomposition(aten.native_layer_norm.default)
def native_layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    output, mean, rstd = _normalized(raised(input), dims, eps)
    if weight is not None:
        output = output * weight
    if bias is not None:
        output = output + bias
    if input.device.type == "cpu":
        return lowered((output, mean, rstd), input.dtype)
    return output.to(input.dtype), mean, rstd


@register_decomposition(aten.native_layer_norm_backward.default)
def native_layer_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Any,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: Any,
) -> tuple[Tensor | None, ...]:
    rank = input.dim()
    inner = list(range(rank - len(normalized_shape), rank))
    outer = list(range(rank - len(normalized_shape)))
    x, gradient = raised(input), raised(grad_out)
    mean, rstd = raised(mean), raised(rstd)
    normal = (x - mean) * rstd
    scaled = gradient if weight is None else gradient * raised(weight)
    results: list[Tensor | None] = [None, None, None]
    if output_mask[0]:
        center = scaled - scaled.mean(inner, keepdim=True)
        results[0] = (center - normal * (scaled * normal).mean(inner, keepdim=True)) * rstd
    if output_mask[1] and weight is not None:
        results[1] = (gradient * normal).sum(outer) if outer else gradient * normal
    if output_mask[2] and bias is not None:
        results[2] = gradient.sum(outer) if outer else gradient.clone()
    return lowered(tuple(results), input.dtype)


@register_decomposition(aten.native_group_norm.default)
def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    grouped = raised(input).reshape(N, group, C // group, HxW)
    output, mean, rstd = _normalized(grouped, [2, 3], eps)
    output = output.reshape(input.shape)
    shape = [1, C] + [1] * (input.dim() - 2)
    if weight is not None:
        output = output * weight.reshape(shape)
    if bias is not None:
        output = output + bias.reshape(shape)
    kept = input.dtype
    return output.to(kept), mean.reshape(N, group).to(kept), rstd.reshape(N, group).to(kept)


@register_decomposition(aten.native_group_norm_backward.default)
def native_group_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Any,
) -> tuple[Tensor | None, ...]:
    shape = (N, group, C // group, HxW)
    x, gradient = raised(input).reshape(shape), raised(grad_out).reshape(shape)
    mean, rstd = raised(mean).reshape(N, group, 1, 1), raised(rstd).reshape(N, group, 1, 1)
    normal = (x - mean) * rstd
    results: list[Tensor | None] = [None, None, None]
    if output_mask[0]:
        factor = 1 if weight is None else raised(weight).reshape(1, group, C // group, 1)
        scaled = gradient * factor
        center = scaled - scaled.mean([2, 3], keepdim=True)
        inner = (center - normal * (scaled * normal).mean([2, 3], keepdim=True)) * rstd
        results[0] = inner.reshape(input.shape)
    if output_mask[1]:
        results[1] = (gradient * normal).sum([0, 3]).reshape(C)
    if output_mask[2]:
        results[2] = gradient.sum([0, 3]).reshape(C)
    return lowered(tuple(results), input.dtype)


def _channels(tensor: Tensor, values: Tensor) -> Tensor:
    """Give values of channels the rank of the input."""
    return values.reshape([1, -1] + [1] * (tensor.dim() - 2))


@register_decomposition(aten.native_batch_norm_backward.default)
def native_batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: Any,
) -> tuple[Tensor | None, ...]:
    dims = [d for d in range(input.dim()) if d != 1]
    x, gradient = raised(input), raised(grad_out)
    if train:
        assert save_mean is not None and save_invstd is not None
        mean, rstd = save_mean, save_invstd
    else:
        assert running_mean is not None and running_var is not None
        mean, rstd = running_mean, (running_var + eps).rsqrt()
    mean, rstd = _channels(x, raised(mean)), _channels(x, raised(rstd))
    normal = (x - mean) * rstd
    results: list[Tensor | None] = [None, None, None]
    if output_mask[0]:
        factor = rstd if weight is None else rstd * _channels(x, raised(weight))
        inner = gradient
        if train:
            inner = inner - gradient.mean(dims, keepdim=True)
            inner = inner - normal * (gradient * normal).mean(dims, keepdim=True)
        results[0] = inner * factor
    if output_mask[1]:
        results[1] = (gradient * normal).sum(dims)
    if output_mask[2]:
        results[2] = gradient.sum(dims)
    of_input = None if results[0] is None else results[0].to(input.dtype)
    kept = input.dtype if weight is None else weight.dtype
    return of_input, *lowered(tuple(results[1:]), kept)


@register_decomposition(aten._fused_rms_norm.default)
def fused_rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, eps: float | None
) -> tuple[Tensor, Tensor]:
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    x = raised(input)
    chosen = torch.finfo(x.dtype).eps if eps is None else eps
    rstd = ((x * x).mean(dims, keepdim=True) + chosen).rsqrt()
    output = x * rstd if weight is None else x * rstd * weight
    return output.to(input.dtype), rstd


@register_decomposition(aten.native_dropout_backward.default)
@precise
def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    return grad_output * (mask.to(grad_output.dtype) * scale)


@register_decomposition(aten.native_dropout.default)
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    if train is False or p == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(input), torch.zeros_like(input, dtype=torch.bool)
    kept = torch.rand_like(input) > p
    scale = 1 / (1 - p)
    assert math.isfinite(scale)
    return input * kept * scale, kept
