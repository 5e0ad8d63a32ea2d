"""The functions that create quantized tensors, and read them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import torch
from torch._quantized import _parameters
from torch._quantized._quantizers import (
    BY_INTEGERS,
    DTYPES,
    PerChannel,
    PerTensor,
    QuantizedDtype,
    check_zero_point,
    quantized_dtype,
)
from torch._quantized._tensor import QuantizedTensor, wrap

Tensor = torch.Tensor

_warned = False


def _warn_of_deprecation() -> None:
    global _warned
    _warned = True
    warnings.warn(
        "torch.quantize_per_tensor, torch.quantize_per_channel and other quantized tensor creation "
        "functions that produce tensors with dtype torch.quint8, torch.qint8, and torch.qint32 are "
        "deprecated and will be removed in a future PyTorch release.",
        stacklevel=3,
    )


def _kind(dtype: torch.dtype) -> QuantizedDtype:
    if dtype not in DTYPES:
        raise RuntimeError(f"ScalarType {dtype} is not supported in new_qtensor.")
    return DTYPES[dtype]


def _check_input(values: Tensor) -> None:
    if values.dtype != torch.float32:
        name = values.type().rpartition(".")[2].removesuffix("Tensor")
        raise RuntimeError(f"Quantize only works on Float Tensor, got {name}")


def _in_order(tensor: Tensor) -> Tensor:
    """Return a tensor in the order in which PyTorch stores quantized ones: as usual, or with channels last."""
    if tensor.is_contiguous():
        return tensor
    from torch._prims_common import suggest_memory_format

    return tensor.contiguous(memory_format=suggest_memory_format(tensor))


def _number(value: Any, number: type) -> Any:
    if type(value) is number:
        return value
    return number(value.item() if isinstance(value, Tensor) else value)


def quantize_per_tensor(input: Any, scale: Any, zero_point: Any, dtype: torch.dtype) -> Any:
    """Quantize a tensor, or several, with one scale and one zero point each.

    Args:
        input: A tensor of dtype float32, or a list of tensors.
        scale: The difference between the numbers of neighbouring integers; a number or a tensor, for a list of
            tensors a tensor with as many elements.
        zero_point: The integer that stands for zero, of the form of `scale`.
        dtype: The quantized dtype.

    Raises:
        RuntimeError: If a dtype is not supported, or a zero point is not in its range.

    Example:
        >>> torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0, 2.0]), 0.1, 10, torch.quint8)
        tensor([-1.,  0.,  1.,  2.], size=(4,), dtype=torch.quint8,
               quantization_scheme=torch.per_tensor_affine, scale=0.1, zero_point=10)
    """
    if not isinstance(input, Tensor):
        parameters = zip(input, scale.tolist(), zero_point.tolist(), strict=True)
        return tuple(quantize_per_tensor(each, *rest, dtype) for each, *rest in parameters)
    if not _warned:
        _warn_of_deprecation()
    _check_input(input)
    kind = _kind(dtype)
    point = _number(zero_point, int)
    check_zero_point(point, point, kind, "quantize_tensor_per_tensor_affine")
    quantizer = PerTensor(_number(scale, float), point)
    return wrap(quantizer.quantize(_in_order(input), dtype), quantizer, dtype)


def quantize_per_tensor_dynamic(
    input: Tensor, dtype: torch.dtype, reduce_range: bool = False
) -> Tensor:
    """Quantize a tensor with the scale and the zero point that fit its numbers.

    Args:
        input: A tensor of dtype float32.
        dtype: torch.qint8 or torch.quint8.
        reduce_range: Whether to use one bit less.

    Raises:
        RuntimeError: If a dtype is not supported.

    Example:
        >>> torch.quantize_per_tensor_dynamic(torch.tensor([0.0, 255.0]), torch.quint8, False).q_scale()
        1.0
    """
    if dtype not in (torch.qint8, torch.quint8):
        raise RuntimeError(f"dtype {dtype} not supported")
    _check_input(input)
    kind = _kind(dtype)
    scale, point = _parameters.of_tensor(input, kind.low, kind.high, reduce_range)
    return quantize_per_tensor(input, scale, point, dtype)  # type: ignore[no-any-return]


def quantize_per_channel(
    input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, dtype: torch.dtype
) -> Tensor:
    """Quantize a tensor with a scale and a zero point for each index of one dimension.

    Args:
        input: A tensor of dtype float32.
        scales: The scale of each channel, (input.size(axis)).
        zero_points: The zero point of each channel, of the same shape; floating-point zero points are
            added before the numbers are rounded.
        axis: The dimension of the channels.
        dtype: The quantized dtype.

    Raises:
        RuntimeError: If a dtype is not supported, or the parameters do not fit the input.

    Example:
        >>> x = torch.tensor([[-1.0, 0.0], [1.0, 2.0]])
        >>> scales, zero_points = torch.tensor([0.1, 0.01]), torch.tensor([10, 0])
        >>> torch.quantize_per_channel(x, scales, zero_points, 0, torch.quint8).int_repr()
        tensor([[  0,  10],
                [100, 200]], dtype=torch.uint8)
    """
    if not _warned:
        _warn_of_deprecation()
    _check_input(input)
    kind = _kind(dtype)
    quantizer = _per_channel(scales, zero_points, axis)
    _check_channels(input.shape, quantizer)
    quantizer.check_zero_points(kind, "quantize_tensor_per_channel_affine")
    return wrap(quantizer.quantize(_in_order(input), dtype), quantizer, dtype)


def _per_channel(scales: Tensor, zero_points: Tensor, axis: int) -> PerChannel:
    if scales.dim() != 1 or zero_points.dim() != 1:
        raise RuntimeError("scales and zero_points should be 1-D tensors")
    if scales.numel() != zero_points.numel():
        raise RuntimeError("number of elements in scales and zero_points must match")
    if zero_points.is_floating_point():
        return PerChannel(scales.float(), zero_points.float(), axis)
    return PerChannel(scales.double(), zero_points.long(), axis)


def _check_channels(shape: Sequence[int], quantizer: PerChannel) -> None:
    if not 0 <= quantizer.axis < len(shape):
        raise RuntimeError(
            f"Channel axis out of range in per channel affine quantization. Got: {quantizer.axis} "
            f"Expected: [0, {len(shape)})"
        )
    expected, got = shape[quantizer.axis], quantizer.scales.numel()
    if expected != got:
        raise RuntimeError(
            f"length of scales must equal to channel, expected {expected} got, {got}"
        )


def dequantize(input: Any) -> Any:
    """Return the numbers of a quantized tensor, or of several.

    Args:
        input: A tensor or a list of tensors. Tensors that are not quantized are converted.

    Returns:
        A tensor of dtype float32, or a tuple of them.

    Example:
        >>> torch.dequantize(torch.quantize_per_tensor(torch.tensor([0.26]), 0.5, 0, torch.qint8))
        tensor([0.5000])
    """
    if not isinstance(input, Tensor):
        return tuple(dequantize(each) for each in input)
    if isinstance(input, QuantizedTensor):
        return input.dequantize()
    return input.to(torch.float32)


def _missing(name: str, tensor: Tensor) -> NoReturn:
    raise NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{tensor.device.type.upper()}' backend: "
        "the tensor is not quantized."
    )


def int_repr(input: Tensor) -> Tensor:
    """Return the integers of a quantized tensor.

    Args:
        input: A quantized tensor.

    Raises:
        NotImplementedError: If the tensor is not quantized.

    Example:
        >>> torch.int_repr(torch.quantize_per_tensor(torch.tensor([0.26]), 0.5, 3, torch.qint8))
        tensor([4], dtype=torch.int8)
    """
    return _quantized(input, "int_repr").int_repr()


def q_scale(input: Tensor) -> float:
    """Return the scale of a quantized tensor; see `quantize_per_tensor`.

    Example:
        >>> torch.q_scale(torch.quantize_per_tensor(torch.ones(1), 0.5, 3, torch.qint8))
        0.5
    """
    return _quantized(input, "q_scale").q_scale()


def q_zero_point(input: Tensor) -> int:
    """Return the zero point of a quantized tensor; see `quantize_per_tensor`.

    Example:
        >>> torch.q_zero_point(torch.quantize_per_tensor(torch.ones(1), 0.5, 3, torch.qint8))
        3
    """
    return _quantized(input, "q_zero_point").q_zero_point()


def q_per_channel_scales(input: Tensor) -> Tensor:
    """Return the scales of a quantized tensor; see `quantize_per_channel`.

    Example:
        >>> scale, zero_point = torch.tensor([0.5]), torch.tensor([3])
        >>> x = torch.quantize_per_channel(torch.ones(1), scale, zero_point, 0, torch.qint8)
        >>> torch.q_per_channel_scales(x)
        tensor([0.5000], dtype=torch.float64)
    """
    return _quantized(input, "q_per_channel_scales").q_per_channel_scales()


def q_per_channel_zero_points(input: Tensor) -> Tensor:
    """Return the zero points of a quantized tensor; see `quantize_per_channel`.

    Example:
        >>> scale, zero_point = torch.tensor([0.5]), torch.tensor([3])
        >>> x = torch.quantize_per_channel(torch.ones(1), scale, zero_point, 0, torch.qint8)
        >>> torch.q_per_channel_zero_points(x)
        tensor([3])
    """
    return _quantized(input, "q_per_channel_zero_points").q_per_channel_zero_points()


def q_per_channel_axis(input: Tensor) -> int:
    """Return the dimension of the channels of a quantized tensor; see `quantize_per_channel`.

    Example:
        >>> scale, zero_point = torch.tensor([0.5]), torch.tensor([3])
        >>> x = torch.quantize_per_channel(torch.ones(1), scale, zero_point, 0, torch.qint8)
        >>> torch.q_per_channel_axis(x)
        0
    """
    return _quantized(input, "q_per_channel_axis").q_per_channel_axis()


def qscheme(input: Tensor) -> torch.qscheme:
    """Return how the integers of a quantized tensor stand for numbers.

    Example:
        >>> torch.quantize_per_tensor(torch.ones(1), 0.5, 3, torch.qint8).qscheme()
        torch.per_tensor_affine
    """
    return _quantized(input, "qscheme").qscheme()


def _quantized(tensor: Tensor, name: str) -> QuantizedTensor:
    if not isinstance(tensor, QuantizedTensor):
        _missing(name, tensor)
    return tensor


def _choose_qparams_per_tensor(input: Tensor, reduce_range: bool = False) -> tuple[float, int]:
    """Return the scale and the zero point with which unsigned bytes cover the numbers of a tensor."""
    return _parameters.of_tensor(input, 0, 255, reduce_range)


def _make_per_tensor_quantized_tensor(input: Tensor, scale: float, zero_point: int) -> Tensor:
    """Return a quantized tensor of the given integers."""
    return wrap(
        _in_order(input.clone()), PerTensor(float(scale), int(zero_point)), _dtype_of(input)
    )


def _make_per_channel_quantized_tensor(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int
) -> Tensor:
    """Return a quantized tensor of the given integers, with parameters for each channel."""
    quantizer = _per_channel(scale, zero_point, axis)
    _check_channels(input.shape, quantizer)
    return wrap(_in_order(input.clone()), quantizer, _dtype_of(input))


def _dtype_of(integers: Tensor) -> torch.dtype:
    if integers.dtype not in BY_INTEGERS:
        raise RuntimeError(f"no quantized dtype stores {integers.dtype}")
    return BY_INTEGERS[integers.dtype].dtype


def _size(size: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size


def _empty_affine_quantized(
    *size: Any,
    scale: float = 1,
    zero_point: int = 0,
    dtype: torch.dtype | None = None,
    device: Any = None,
    memory_format: Any = torch.contiguous_format,
    **options: Any,
) -> Tensor:
    """Return a quantized tensor whose integers are not initialized."""
    kind = quantized_dtype(dtype)  # type: ignore[arg-type]
    integers = torch.empty(
        _size(size), dtype=kind.integers, device=device, memory_format=memory_format
    )
    return wrap(integers, PerTensor(float(scale), int(zero_point)), kind.dtype)


def _empty_per_channel_affine_quantized(
    *size: Any,
    scales: Tensor,
    zero_points: Tensor,
    axis: int,
    dtype: torch.dtype | None = None,
    device: Any = None,
    memory_format: Any = torch.contiguous_format,
    **options: Any,
) -> Tensor:
    """Return a quantized tensor with parameters for each channel, whose integers are not initialized."""
    kind = quantized_dtype(dtype)  # type: ignore[arg-type]
    shape, quantizer = _size(size), _per_channel(scales, zero_points, axis)
    _check_channels(shape, quantizer)
    integers = torch.empty(shape, dtype=kind.integers, device=device, memory_format=memory_format)
    return wrap(integers, quantizer, kind.dtype)


def empty_quantized(size: Sequence[int], qtensor: Tensor, **options: Any) -> Tensor:
    """Return a tensor of a size with the parameters of another, whose integers are not initialized.

    Args:
        size: The shape.
        qtensor: The quantized tensor with the parameters.
        **options: dtype, device and memory_format, by default those of `qtensor`.

    Raises:
        NotImplementedError: If `qtensor` is not quantized.

    Example:
        >>> x = torch.quantize_per_tensor(torch.ones(1), 0.5, 3, torch.qint8)
        >>> torch.empty_quantized([2], x).q_scale()
        0.5
    """
    like = _quantized(qtensor, "empty_quantized")
    kind = quantized_dtype(options.get("dtype") or like.dtype)
    integers = torch.empty(
        tuple(size), dtype=kind.integers, device=options.get("device") or like.device
    )
    return wrap(integers, like._quantizer, kind.dtype)
