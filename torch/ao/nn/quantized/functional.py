"""Functions of quantized tensors, with the names of `torch.nn.functional`."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

Tensor = torch.Tensor
_ops = torch.ops.quantized

__all__ = [
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool2d",
    "avg_pool3d",
    "celu",
    "clamp",
    "conv1d",
    "conv2d",
    "conv3d",
    "elu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "interpolate",
    "leaky_relu",
    "linear",
    "max_pool1d",
    "max_pool2d",
    "threshold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]


def _on_quantized(name: str) -> Any:
    function = getattr(F, name)

    def checked(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not input.is_quantized:
            raise ValueError(f"Input to 'quantized.{name}' must be quantized!")
        return function(input, *args, **kwargs)

    checked.__name__ = checked.__qualname__ = name
    checked.__doc__ = (
        f"Return `torch.nn.functional.{name}` of a quantized tensor, with its parameters.\n\n"
        "    Raises:\n        ValueError: If the input is not quantized.\n\n    Example:\n"
        f"        >>> torch.ao.nn.quantized.functional.{name}.__name__\n        '{name}'\n    "
    )
    return checked


adaptive_avg_pool2d = _on_quantized("adaptive_avg_pool2d")
adaptive_avg_pool3d = _on_quantized("adaptive_avg_pool3d")
avg_pool2d = _on_quantized("avg_pool2d")
avg_pool3d = _on_quantized("avg_pool3d")
hardsigmoid = _on_quantized("hardsigmoid")
hardtanh = _on_quantized("hardtanh")
interpolate = upsample = _on_quantized("interpolate")
max_pool1d = _on_quantized("max_pool1d")
max_pool2d = _on_quantized("max_pool2d")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Return a quantized image of another size, with linear interpolation and aligned corners.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 1, 1), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.upsample_bilinear(x, scale_factor=2)[0, 0, 0].dequantize()
        tensor([1., 1.])
    """
    return upsample(input, size, scale_factor, mode="bilinear", align_corners=True)  # type: ignore[no-any-return]


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Return a quantized image of another size, with the nearest elements.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1, 1, 1, 1), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.upsample_nearest(x, scale_factor=2)[0, 0, 0].dequantize()
        tensor([1., 1.])
    """
    return upsample(input, size, scale_factor, mode="nearest")  # type: ignore[no-any-return]


def linear(
    input: Any,
    weight: Any,
    bias: Tensor | None = None,
    scale: float | None = None,
    zero_point: int | None = None,
) -> Tensor:
    """Return the linear map of a quantized tensor, (*, in), with a quantized weight, (out, in).

    Args:
        input: The tensor, of dtype quint8.
        weight: The weight, of dtype qint8.
        bias: A float32 bias, (out), or None.
        scale: The scale of the result; that of the input by default.
        zero_point: The zero point of the result.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1, 2), 0.5, 4, torch.quint8)
        >>> weight = torch.quantize_per_tensor(torch.ones(1, 2), 0.5, 0, torch.qint8)
        >>> torch.ao.nn.quantized.functional.linear(x, weight).dequantize()
        tensor([[2.]])
    """
    packed = _ops.linear_prepack(weight, bias)
    return _ops.linear(input, packed, *_or_those_of(input, scale, zero_point))  # type: ignore[no-any-return]


def _or_those_of(input: Any, scale: float | None, zero_point: int | None) -> tuple[float, int]:
    return (
        input.q_scale() if scale is None else scale,
        input.q_zero_point() if zero_point is None else zero_point,
    )


def _convolution(dims: int) -> Any:
    def convolve(
        input: Any,
        weight: Any,
        bias: Tensor | None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        scale: float = 1.0,
        zero_point: int = 0,
        dtype: Any = torch.quint8,
    ) -> Tensor:
        if padding_mode != "zeros":
            raise NotImplementedError("Only zero-padding is supported!")
        if dtype != torch.quint8:
            raise NotImplementedError("Only torch.quint8 is supported for activation tensor!")
        if weight.dtype != torch.qint8:
            raise NotImplementedError("Only torch.qint8 is supported for weight tensor!")
        steps = [
            [each] * dims if isinstance(each, int) else each for each in (stride, padding, dilation)
        ]
        packed = getattr(_ops, f"conv{dims}d_prepack")(weight, bias, *steps, groups)
        return getattr(_ops, f"conv{dims}d")(input, packed, scale, zero_point)  # type: ignore[no-any-return]

    convolve.__name__ = convolve.__qualname__ = f"conv{dims}d"
    convolve.__doc__ = (
        f"Return the convolution of a quantized tensor in {dims} dimensions; the last arguments are the\n"
        "    scale, the zero point and the dtype of the result.\n\n    Raises:\n        "
        "NotImplementedError: If a dtype or a padding mode is not supported.\n\n    Example:\n"
        f"        >>> torch.ao.nn.quantized.functional.conv{dims}d.__name__\n        'conv{dims}d'\n    "
    )
    return convolve


conv1d, conv2d, conv3d = (_convolution(dims) for dims in (1, 2, 3))


def celu(input: Tensor, scale: float, zero_point: int, alpha: float = 1.0) -> Tensor:
    """Return the continuous exponential linear unit of a quantized tensor.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.celu(x, 0.5, 4).dequantize()
        tensor([-0.5000,  2.0000])
    """
    return _ops.celu(input, scale, zero_point, alpha)  # type: ignore[no-any-return]


def elu(input: Tensor, scale: float, zero_point: int, alpha: float = 1.0) -> Tensor:
    """Return the exponential linear unit of a quantized tensor.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.elu(x, 0.5, 4).dequantize()
        tensor([-0.5000,  2.0000])
    """
    return _ops.elu(input, scale, zero_point, alpha)  # type: ignore[no-any-return]


def hardswish(input: Tensor, scale: float, zero_point: int) -> Tensor:
    """Return the function `torch.nn.functional.hardswish` of a quantized tensor.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.hardswish(x, 0.5, 4).dequantize()
        tensor([-0.5000,  1.5000])
    """
    return _ops.hardswish(input, scale, zero_point)  # type: ignore[no-any-return]


def leaky_relu(
    input: Any,
    negative_slope: float = 0.01,
    inplace: bool = False,
    scale: float | None = None,
    zero_point: int | None = None,
) -> Tensor:
    """Return the leaky rectified linear unit of a quantized tensor.

    Args:
        input: The tensor.
        negative_slope: The slope below zero.
        inplace: Whether to change the input, with its parameters.
        scale: The scale of the result; that of the input by default.
        zero_point: The zero point of the result.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.leaky_relu(x, 0.5).dequantize()
        tensor([-0.5000,  2.0000])
    """
    if scale is not None and zero_point is not None:
        return _ops.leaky_relu(input, negative_slope, inplace, scale, zero_point)  # type: ignore[no-any-return]
    result = F.leaky_relu(input, negative_slope)
    return input.copy_(result) if inplace else result  # type: ignore[no-any-return]


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Replace the elements of a quantized tensor that are not above a threshold.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.threshold(x, 0.5, 1.0).dequantize()
        tensor([1., 2.])
    """
    return _ops.threshold(input, threshold, value)  # type: ignore[no-any-return]


def clamp(input: Tensor, min_: float, max_: float) -> Tensor:
    """Return a quantized tensor with bounded elements.

    Example:
        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 4, torch.quint8)
        >>> torch.ao.nn.quantized.functional.clamp(x, -0.5, 1.0).dequantize()
        tensor([-0.5000,  1.0000])
    """
    return _ops.clamp(input, min_, max_)  # type: ignore[no-any-return]
