"""Weights in the form in which the native products of bytes read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch._quantized._quantizers import PerTensor

Tensor = torch.Tensor
_TILE_TERMS = 64  # that one step of the tile unit adds
_TERMS = 4  # that one instruction adds: the inputs of a convolution are padded to a multiple


@dataclass(frozen=True, eq=False)
class ByteWeights:
    """The packed weight of a layer and the parameters of its output channels."""

    packed: Tensor
    scales: Tensor
    """The scale of each channel, of dtype float32."""
    zero_points: Tensor | None
    """The zero point of each channel, of dtype int32; None if all are zero."""
    bias: Tensor | None
    size: tuple[int, ...]
    """The shape of the weight: channels, inputs of a group, and the window of a convolution."""
    groups: int
    """The groups of the packed weight, at most those of the layer."""


def _parameters(weight: Any) -> tuple[Tensor, Tensor | None]:
    quantizer, channels = weight._quantizer, len(weight)
    if isinstance(quantizer, PerTensor):
        scales = torch.full((channels,), quantizer.scale, dtype=torch.float32)
        points = torch.full((channels,), quantizer.zero_point, dtype=torch.int32)
    else:
        scales = quantizer.scales.to(torch.float32)
        points = quantizer.zero_points.to(torch.int32)
    return scales.contiguous(), points.contiguous() if points.any() else None


def packed_weights(weight: Any, bias: Tensor | None, groups: int = 1) -> ByteWeights | None:
    """Return the packed form of a weight.

    Args:
        weight: A tensor (channels, inputs, ...); trailing dimensions are those of a convolution.
        bias: The number to add to each channel, or None.
        groups: How many groups the channels form.

    Returns:
        None if there is no native product: the weight is not of dtype qint8, or not on the CPU.
    """
    if not weight.is_quantized or weight.dtype != torch.qint8 or weight.device.type != "cpu":
        return None
    if bias is not None:
        bias = bias.detach().to(torch.float32).contiguous()
    by_channel = weight.dim() > 2 and weight.shape[1] == 1 and groups == len(weight) > 1
    scales, points = _parameters(weight)
    integers, size = weight._integers.movedim(1, -1), tuple(weight.shape)
    if weight.dim() > 2 and not by_channel:
        integers = F.pad(integers, (0, -weight.shape[1] % _TERMS))
        if points is None and (together := _groups_together(weight.shape[1], groups)) > 1:
            integers, groups = _joined(integers, groups, together), groups // together
            size = (size[0], size[1] * together, *size[2:])
    packed = torch._quantized_pack_for_cpu(integers.flatten(1), groups, by_channel)
    return ByteWeights(packed, scales, points, bias, size, groups)


def _groups_together(inputs: int, groups: int) -> int:
    """Return how many groups of so many inputs the tile unit multiplies at once."""
    together = _TILE_TERMS // inputs
    whole = together * inputs == _TILE_TERMS and groups % together == 0
    return together if whole and inputs % _TERMS == 0 and torch._C._has_tile_unit() else 1


def _joined(integers: Tensor, groups: int, together: int) -> Tensor:
    """Return weights (channels, ..., inputs) of fewer groups, with zeros for the other inputs.

    The tile unit multiplies by these zeros faster than other instructions multiply by the rest.
    """
    group = torch.arange(groups).repeat_interleave(len(integers) // groups) % together
    chosen = F.one_hot(group, together).to(integers.dtype)
    chosen = chosen.view(len(integers), *[1] * (integers.dim() - 2), together, 1)
    return (integers.unsqueeze(-2) * chosen).flatten(-2)
