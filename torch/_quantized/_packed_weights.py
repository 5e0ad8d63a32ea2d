"""Linear layers and convolutions of quantized tensors, in the arithmetic of PyTorch's x86 kernels.

The sums of products of integers are exact. Only their conversion to the result is rounded, in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch._quantized import _parameters
from torch._quantized._byte_products import ByteWeights
from torch._quantized._packed_objects import ConvWeights, LinearWeights
from torch._quantized._quantizers import PerTensor, quantized_dtype
from torch._quantized._tensor import wrap

Tensor = torch.Tensor
_CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
_TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


Weights = LinearWeights | ConvWeights


def _check_weight(weight: Any, dim: int) -> None:
    if not weight.is_quantized:
        raise NotImplementedError(f"expected a quantized weight, got {weight.dtype}")
    if weight.dtype != torch.qint8:
        raise RuntimeError(f"expected a weight of dtype torch.qint8, got {weight.dtype}")
    if weight.dim() != dim:
        raise RuntimeError(f"expected a weight of {dim} dimensions, got {weight.dim()}")
    if weight.qscheme() == torch.per_channel_affine and weight.q_per_channel_axis() != 0:
        raise RuntimeError("expected a weight with a scale for each output channel")


def _differences(quantized: Any, dtype: torch.dtype) -> Tensor:
    """Return integers less their zero points, of a floating-point dtype."""
    points = quantized._quantizer.zero_point if _has_one_scale(quantized) else None
    if points is None:
        points = quantized.q_per_channel_zero_points()
        points = points.reshape([-1] + [1] * (quantized.dim() - 1))
    return quantized._integers.to(dtype) - points  # type: ignore[no-any-return]


def _exact_dtype(weights: Weights) -> torch.dtype:
    """Return a dtype that holds all sums of products with 8-bit differences: they are integers."""
    weight = weights.weight
    transposed = isinstance(weights, ConvWeights) and weights.transposed
    terms = weight.shape[0 if transposed else 1] * weight.shape[2:].numel()
    quantizer = weight._quantizer
    points = [quantizer.zero_point] if _has_one_scale(weight) else quantizer.zero_points.tolist()
    point = max(map(abs, points), default=0)
    largest = 255 * (128 + point)
    return torch.float32 if terms * largest <= 2**24 else torch.float64


def _sums(input: Tensor, weights: Weights) -> Tensor:
    """Return the sums of products with the differences of a weight, of the dtype of the input."""
    factors = _differences(weights.weight, input.dtype)
    if isinstance(weights, LinearWeights):
        return F.linear(input, factors)
    dims, groups, dilation = weights.weight.dim() - 2, weights.groups, weights.dilation
    steps = (weights.stride, weights.padding)
    if weights.transposed:
        ends = weights.output_padding
        return _TRANSPOSED[dims](input, factors, None, *steps, ends, groups, dilation)
    return _CONVOLUTIONS[dims](input, factors, None, *steps, dilation, groups)


def _has_one_scale(quantized: Any) -> bool:
    return quantized.qscheme() == torch.per_tensor_affine  # type: ignore[no-any-return]


def _check_input(qx: Any) -> None:
    if not qx.is_quantized:
        raise NotImplementedError(
            f"expected a quantized input, got {qx.dtype}; use torch.quantize_per_tensor or a QuantStub"
        )
    if qx.dtype != torch.quint8:
        raise RuntimeError(f"expected an input of dtype torch.quint8, got {qx.dtype}")
    qx._per_tensor()


def _product_scale(input_scale: float, weights: Weights) -> Tensor:
    """Return what an integer of the sums stands for: float32, one element or one of each channel."""
    weight = weights.weight
    if _has_one_scale(weight):
        scales = torch.tensor([weight.q_scale()], dtype=torch.float32)
    else:
        scales = weight.q_per_channel_scales().float()
    return torch.tensor(input_scale, dtype=torch.float32) * scales


def _along_channels(values: Tensor, weights: Weights) -> Tensor:
    """Reshape a vector so that it broadcasts along the channels of a result."""
    trailing = weights.weight.dim() - 2
    return values.reshape([-1] + [1] * trailing)


def _requantized(
    qx: Any, weights: Weights, output_scale: float, output_zero_point: int, relu: bool
) -> Tensor:
    _check_input(qx)
    sums = _sums(_differences(qx, _exact_dtype(weights)), weights).float()
    unit = _product_scale(qx.q_scale(), weights)
    if weights.bias is not None:
        sums = sums.add_(_along_channels(weights.bias.detach() / unit, weights))
    factor = unit / torch.tensor(output_scale, dtype=torch.float32)
    kind = quantized_dtype(qx.dtype)
    low = max(kind.low, output_zero_point) if relu else kind.low
    rounded = sums.mul_(_along_channels(factor, weights)).round_().add_(output_zero_point)
    integers = rounded.clamp_(low, kind.high).to(kind.integers)
    return wrap(integers, PerTensor(float(output_scale), int(output_zero_point)), qx.dtype)


# ---- linear layers -------------------------------------------------------------------------------
def linear_prepack(W: Any, B: Tensor | None = None) -> LinearWeights:
    """Return a weight (out, in) of dtype qint8 and a bias, for `linear`."""
    _check_weight(W, 2)
    return LinearWeights(W, B)


def linear_unpack(W_prepack: LinearWeights) -> tuple[Any, Tensor | None]:
    """Return the weight and the bias."""
    return W_prepack.weight, W_prepack.bias


def linear(X: Any, W_prepack: LinearWeights, Y_scale_i: float, Y_zero_point_i: int) -> Tensor:
    """Return the linear map of a quantized tensor (*, in), with the given parameters."""
    return _linear(X, W_prepack, Y_scale_i, Y_zero_point_i, relu=False)


def linear_relu(X: Any, W_prepack: LinearWeights, Y_scale_i: float, Y_zero_point_i: int) -> Tensor:
    """Return the linear map of a quantized tensor (*, in), zero where it is negative."""
    return _linear(X, W_prepack, Y_scale_i, Y_zero_point_i, relu=True)


def _linear(X: Any, weights: LinearWeights, scale: float, zero_point: int, relu: bool) -> Tensor:
    _check_input(X)
    product, integers = weights.product, X._integers
    if product is None or not integers.is_cpu:
        return _requantized(X, weights, scale, zero_point, relu)
    _check_depth(integers, product)
    return _native(torch._quantized_linear_for_cpu, X, product, (), scale, zero_point, relu)


def _native(
    operator: Callable[..., Tensor],
    qx: Any,
    product: ByteWeights,
    steps: tuple[Any, ...],
    scale: float,
    zero_point: int,
    relu: bool,
) -> Tensor:
    """Return the result of a native product, a quantized tensor with the given parameters."""
    of_input = (qx._integers, qx._quantizer.scale, qx._quantizer.zero_point)
    of_weights = (product.packed, product.scales, product.zero_points, product.bias)
    integers = operator(*of_input, *of_weights, *steps, scale, zero_point, relu)
    return wrap(integers, PerTensor(float(scale), int(zero_point)), qx.dtype)


def _check_depth(input: Tensor, product: ByteWeights) -> None:
    if input.dim() < 2:
        raise RuntimeError("The dimension of input tensor should be larger than or equal to 2")
    if input.shape[-1] != product.size[1]:
        raise RuntimeError(
            f"expected an input with {product.size[1]} elements in the last dimension, got {input.shape[-1]}"
        )


def linear_dynamic(X: Tensor, W_prepack: LinearWeights, reduce_range: bool = False) -> Tensor:
    """Return the linear map of a float32 tensor (*, in), which is quantized for the product only."""
    return _linear_dynamic(X, W_prepack, reduce_range, relu=False)


def linear_relu_dynamic(X: Tensor, W_prepack: LinearWeights, reduce_range: bool = False) -> Tensor:
    """Return what `linear_dynamic` returns, zero where it is negative."""
    return _linear_dynamic(X, W_prepack, reduce_range, relu=True)


def _linear_dynamic(X: Tensor, weights: LinearWeights, reduce_range: bool, relu: bool) -> Tensor:
    product = weights.product
    if product is None or not X.is_cpu:
        result = _composed_linear_dynamic(X, weights, reduce_range)
        return result.relu() if relu else result
    _check_depth(X, product)
    return torch._quantized_linear_dynamic_for_cpu(  # type: ignore[no-any-return]
        X.detach() if X.requires_grad else X,
        product.packed,
        product.scales,
        product.zero_points,
        product.bias,
        reduce_range,
        relu,
    )


def _composed_linear_dynamic(X: Tensor, weights: LinearWeights, reduce_range: bool) -> Tensor:
    scale, point = _parameters.of_tensor(X, 0, 255, reduce_range)
    integers = PerTensor(scale, point).quantize(X.detach(), torch.quint8)
    differences = integers.to(_exact_dtype(weights)) - point
    sums = _sums(differences, weights).float().double()
    result = sums * _product_scale(scale, weights)  # exact in float64, rounded once, as by an FMA
    bias = weights.bias
    return (result if bias is None else result + bias.detach()).float()


def linear_prepack_fp16(W: Tensor, B: Tensor | None = None) -> LinearWeights:
    """Return a floating-point weight, rounded to float16, and a bias, for `linear_dynamic_fp16`."""
    limit = torch.finfo(torch.float16).max
    return LinearWeights(W.detach().clamp(-limit, limit).half().float(), B)


linear_unpack_fp16 = linear_unpack


def linear_dynamic_fp16(X: Tensor, W_prepack: LinearWeights) -> Tensor:
    """Return the linear map of a float32 tensor with a weight of float16."""
    bias = None if W_prepack.bias is None else W_prepack.bias.detach()
    return F.linear(X.detach(), W_prepack.weight, bias)


def linear_relu_dynamic_fp16(X: Tensor, W_prepack: LinearWeights) -> Tensor:
    """Return what `linear_dynamic_fp16` returns, zero where it is negative."""
    return linear_dynamic_fp16(X, W_prepack).relu()


# ---- convolutions --------------------------------------------------------------------------------
def _prepacking(dims: int) -> Callable[..., ConvWeights]:
    def prepack(
        weight: Any,
        bias: Tensor | None,
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
    ) -> ConvWeights:
        _check_weight(weight, dims + 2)
        return ConvWeights(
            weight, bias, tuple(stride), tuple(padding), tuple(dilation), int(groups)
        )

    prepack.__doc__ = f"Return a weight of dtype qint8, a bias and the steps, for `conv{dims}d`."
    return prepack


def _transposed_prepacking(dims: int) -> Callable[..., ConvWeights]:
    def prepack(
        weight: Any,
        bias: Tensor | None,
        stride: Sequence[int],
        padding: Sequence[int],
        output_padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
    ) -> ConvWeights:
        _check_weight(weight, dims + 2)
        if not _has_one_scale(weight):
            raise RuntimeError("Per Channel Quantization is currently disabled for transposed conv")
        steps = (tuple(stride), tuple(padding), tuple(dilation), int(groups))
        return ConvWeights(weight, bias, *steps, tuple(output_padding), transposed=True)

    prepack.__doc__ = f"Return a weight (in, out, ...) of dtype qint8, a bias and the steps, for `conv_transpose{dims}d`."
    return prepack


def _convolution(dims: int, relu: bool) -> Callable[..., Tensor]:
    def convolve(
        qx: Any, packed_weight: ConvWeights, output_scale: float, output_zero_point: int
    ) -> Tensor:
        _check_input(qx)
        weights, product, integers = packed_weight, packed_weight.product, qx._integers
        if product is None or not integers.is_cpu:
            return _requantized(qx, weights, output_scale, output_zero_point, relu)
        if integers.dim() != dims + 2:
            raise RuntimeError(
                f"quantized::conv{dims}d(): Expected activation tensor to have {dims + 2} dimensions, got {integers.dim()}"
            )
        steps = (weights.stride, weights.padding, weights.dilation, product.groups)
        return _native(
            torch._quantized_convolution_for_cpu,
            qx,
            product,
            (product.size, *steps),
            output_scale,
            output_zero_point,
            relu,
        )

    end = ", zero where it is negative" if relu else ", with the given parameters"
    convolve.__doc__ = f"Return the convolution of a quantized tensor of {dims} dimensions{end}."
    return convolve


def conv_unpack(packed_weights: ConvWeights) -> tuple[Any, Tensor | None]:
    """Return the weight and the bias."""
    return packed_weights.weight, packed_weights.bias


OPERATORS: dict[str, Callable[..., Any]] = {
    name: globals()[name]
    for name in """linear linear_dynamic linear_dynamic_fp16 linear_prepack linear_prepack_fp16 linear_relu
    linear_relu_dynamic linear_relu_dynamic_fp16 linear_unpack linear_unpack_fp16""".split()  # noqa: SIM905
}
for _dims in _CONVOLUTIONS:
    OPERATORS[f"conv{_dims}d_prepack"] = _prepacking(_dims)
    OPERATORS[f"conv{_dims}d_unpack"] = conv_unpack
    OPERATORS[f"conv{_dims}d"] = _convolution(_dims, relu=False)
    OPERATORS[f"conv{_dims}d_relu"] = _convolution(_dims, relu=True)
    OPERATORS[f"conv_transpose{_dims}d_prepack"] = _transposed_prepacking(_dims)
    OPERATORS[f"conv_transpose{_dims}d_unpack"] = conv_unpack
    OPERATORS[f"conv_transpose{_dims}d"] = _convolution(_dims, relu=False)
