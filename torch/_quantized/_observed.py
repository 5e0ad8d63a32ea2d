"""Fake quantization together with the moving averages from which its parameters follow."""

from __future__ import annotations

import torch
from torch._quantized import _parameters

Tensor = torch.Tensor


def fused_moving_avg_obs_fake_quant(
    input: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> Tensor:
    """Update the moving averages of the range of a tensor, then round it with the parameters that follow.

    Args:
        input: A floating-point tensor.
        observer_on: One element: whether to update the averages, the scale and the zero point.
        fake_quant_on: One element: whether to round.
        running_min: The average of the least number, changed in place; infinite at the start.
        running_max: The average of the greatest number.
        scale: The scale, changed in place.
        zero_point: The zero point, changed in place.
        averaging_const: The weight of a new tensor.
        quant_min: The least integer.
        quant_max: The greatest integer.
        ch_axis: The dimension of the channels.
        per_row_fake_quant: Whether each channel has parameters of its own.
        symmetric_quant: Whether the range is symmetric around zero.

    Raises:
        RuntimeError: If the parameters do not fit the input.

    Example:
        >>> x, on = torch.tensor([0.0, 0.4, 255.0]), torch.tensor([1])
        >>> low, high = torch.tensor(float("inf")), torch.tensor(-float("inf"))
        >>> scale, point = torch.ones(1), torch.zeros(1, dtype=torch.int)
        >>> torch.fused_moving_avg_obs_fake_quant(
        ...     x, on, on, low, high, scale, point, 0.1, 0, 255, 0
        ... )
        tensor([  0.,   0., 255.])
    """
    if not input.numel():
        return input.clone()
    return _fused_moving_avg_obs_fq_helper(
        input,
        observer_on,
        fake_quant_on,
        running_min,
        running_max,
        scale,
        zero_point,
        averaging_const,
        quant_min,
        quant_max,
        ch_axis,
        per_row_fake_quant,
        symmetric_quant,
    )[0]


def _fused_moving_avg_obs_fq_helper(
    input: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> tuple[Tensor, Tensor]:
    """See fused_moving_avg_obs_fake_quant; also return where a number is inside the range."""
    if observer_on.item():
        averages = (running_min, running_max)
        with torch.no_grad():
            low, high = _range_of(input.detach(), ch_axis, per_row_fake_quant)
            _average(averages, (low, high), averaging_const)
            _choose(averages, (scale, zero_point), (quant_min, quant_max), symmetric_quant)
    if not fake_quant_on.item():
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if per_row_fake_quant:
        return torch.ops.aten.fake_quantize_per_channel_affine_cachemask(  # type: ignore[no-any-return]
            input, scale, zero_point, ch_axis, quant_min, quant_max
        )
    return torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(  # type: ignore[no-any-return]
        input, scale.item(), int(zero_point.item()), quant_min, quant_max
    )


def _range_of(values: Tensor, axis: int, by_channel: bool) -> tuple[Tensor, Tensor]:
    if by_channel:
        low, high = torch.aminmax(values.movedim(axis, 0).flatten(1), dim=1)
    else:
        low, high = torch.aminmax(values)
    return low, high


def _average(averages: tuple[Tensor, Tensor], new: tuple[Tensor, Tensor], weight: float) -> None:
    for average, value in zip(averages, new, strict=True):
        if average.numel() != value.numel():
            average.resize_(value.shape).fill_(float("inf"))
        known = average.reshape(value.shape)
        moved = known + weight * (value - known)
        average.copy_(torch.where(known.isinf(), value, moved).reshape(average.shape))


def _choose(
    averages: tuple[Tensor, Tensor],
    parameters: tuple[Tensor, Tensor],
    limits: tuple[int, int],
    symmetric: bool,
) -> None:
    lows, highs = (average.flatten().tolist() for average in averages)
    chosen = [
        _parameters.choose(low, high, *limits, preserve_sparsity=symmetric)
        for low, high in zip(lows, highs, strict=True)
    ]
    for parameter, values in zip(parameters, zip(*chosen, strict=True), strict=True):
        column = torch.tensor(values, dtype=parameter.dtype)
        if parameter.numel() != column.numel():
            parameter.resize_(column.shape)
        parameter.copy_(column.reshape(parameter.shape))
