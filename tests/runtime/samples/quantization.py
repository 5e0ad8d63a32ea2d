"""Samples of fake quantization and of products of matrices of small numbers."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

aten = torch.ops.aten
_RANGE = (-20, 20)


def by_tensor(make: Maker) -> Iterator[Sample]:
    for x in make.layouts():
        yield sample(x, 0.1, 3, *_RANGE)
    yield sample(make(7), 0.37, 0, 0, 255)


def with_tensors(make: Maker) -> Iterator[Sample]:
    for x in make.layouts():
        yield sample(x, torch.tensor([0.1]), torch.tensor([3]), *_RANGE)


def without_gradient_of_scale(x: torch.Tensor, scale: torch.Tensor, *rest) -> torch.Tensor:
    return torch.fake_quantize_per_tensor_affine(x, scale.detach(), *rest)


def switched(make: Maker) -> Iterator[Sample]:
    for on in (0, 1):
        parameters = (torch.tensor([0.1]), torch.tensor([3]), torch.tensor([on]))
        yield sample(make(4, 5), *parameters, *_RANGE)


def by_channel(make: Maker) -> Iterator[Sample]:
    for axis, size in ((0, 3), (1, 4), (2, 5)):
        scale = make(size, low=0.05, high=0.3, dtype="float32")
        zero_point = make(size, low=-5, high=5, dtype="int32")
        yield sample(make(3, 4, 5), scale, zero_point, axis, *_RANGE)
        yield sample(make(3, 4, 5), scale, zero_point.float() + 0.3, axis, *_RANGE)
    yield sample(make(0, 2), torch.ones(2), torch.zeros(2, dtype=torch.int32), 1, *_RANGE)


def learnable(make: Maker) -> Iterator[Sample]:
    for factor in (1.0, 0.7):
        scale, zero_point = torch.tensor([0.1]), torch.tensor([2.4])
        yield sample(make(4, 5), scale, zero_point, *_RANGE, factor)


def learnable_channels(make: Maker) -> Iterator[Sample]:
    for axis, size in ((0, 4), (1, 5)):
        scale = make(size, low=0.05, high=0.3, dtype="float32")
        yield sample(make(4, 5), scale, make(size, dtype="float32"), axis, *_RANGE, 0.7)


def with_gradient(samples):
    """Return samples whose first argument is the gradient of the result."""

    def of_backward(make: Maker) -> Iterator[Sample]:
        for each in samples(make):
            yield sample(make(*each.args[0].shape), *each.args)

    return of_backward


def masked(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), make(4, 5, dtype="bool"))


def integers(make: Maker) -> Iterator[Sample]:
    for rows, inner, columns in ((3, 4, 5), (1, 600, 2), (0, 4, 2), (3, 0, 2)):
        a = make(rows, inner, low=-128, high=127)
        yield sample(a, make(inner, columns, low=-128, high=127, dtype="int8"))
    yield sample(make(4, 3).t(), make(5, 4, low=-9, dtype="int8").t())


def float8(make: Maker) -> Iterator[Sample]:
    half, double = torch.tensor(0.5), torch.tensor([2.0])
    for left in (torch.float8_e4m3fn, torch.float8_e5m2):
        a, b = (
            make(16, 32, dtype="float32").to(left),
            make(32, 16, dtype="float32").to(torch.float8_e4m3fn),
        )
        yield sample(a, b, half, double, out_dtype=torch.float32)
        yield sample(a, b, half, half, bias=make(16, dtype="float32"), out_dtype=torch.float32)
        rows, columns = (make(*s, low=0.1, high=2, dtype="float32") for s in ((16, 1), (1, 16)))
        yield sample(a, b, rows, columns, out_dtype=torch.float32)


# The native operators of quantized layers are called through those of torch.ops.quantized.
def quantized(x: torch.Tensor, scale: float, point: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.quantize_per_tensor(x, scale, point, dtype)


def dequantized(integers: torch.Tensor, scale: float, point: int) -> torch.Tensor:
    return torch._make_per_tensor_quantized_tensor(integers, scale, point).dequantize()


def by_row(weight: torch.Tensor) -> torch.Tensor:
    rows = len(weight)
    scales = torch.linspace(0.01, 0.03, rows, dtype=torch.float64)
    return torch.quantize_per_channel(weight, scales, torch.arange(rows) % 2, 0, torch.qint8)


def quantized_linear(x, weight, bias, relu) -> torch.Tensor:
    operators = torch.ops.quantized
    run = operators.linear_relu if relu else operators.linear
    packed = operators.linear_prepack(by_row(weight), bias)
    return run(quantized(x, 0.03, 120, torch.quint8), packed, 0.1, 30).int_repr()


def quantized_linear_dynamic(x, weight, bias, relu) -> torch.Tensor:
    operators = torch.ops.quantized
    run = operators.linear_relu_dynamic if relu else operators.linear_dynamic
    return run(x, operators.linear_prepack(by_row(weight), bias), True)


def quantized_convolution(x, weight, bias, *steps) -> torch.Tensor:
    operators = torch.ops.quantized
    packed = operators.conv2d_prepack(quantized(weight, 0.02, 0, torch.qint8), bias, *steps)
    return operators.conv2d(quantized(x, 0.03, 120, torch.quint8), packed, 0.1, 30).int_repr()


def bytes_of_numbers(make: Maker) -> Iterator[Sample]:
    for x in make.layouts():
        yield sample(x, 0.3, 5)
    yield sample(make(3, 50, low=-100, high=100), 1e-3, 127)


def quantized_maps(make: Maker) -> Iterator[Sample]:
    for rows, depth, columns in ((1, 3, 5), (2, 64, 32), (5, 7, 33), (13, 65, 17), (60, 20, 100)):
        x, weight = make(rows, depth, low=-3, high=3), make(columns, depth, low=-1, high=1)
        yield sample(x, weight, make(columns, low=-2, high=2), False)
        yield sample(x, weight, None, True)
    yield sample(make(2, 3, 8, low=-3, high=3), make(4, 8, low=-1, high=1), None, False)


def quantized_windows(make: Maker) -> Iterator[Sample]:
    for channels, results, kernel, stride, padding, dilation, groups in (
        (3, 40, (3, 3), [1, 1], [1, 1], [1, 1], 1),
        (8, 8, (2, 3), [2, 1], [0, 2], [1, 2], 2),
        (20, 20, (3, 3), [1, 2], [1, 1], [1, 1], 20),
        (16, 70, (1, 1), [1, 1], [0, 0], [1, 1], 1),
        (4, 8, (3, 3), [1, 1], [2, 2], [2, 2], 4),
    ):
        x = make(2, channels, 9, 8, low=-3, high=3)
        weight = make(results, channels // groups, *kernel, low=-1, high=1)
        yield sample(x, weight, make(results, low=-2, high=2), stride, padding, dilation, groups)


def row(name: str, samples, dtypes=FLOATS + LOW_FLOATS, **options) -> Operator:
    """Return a row for an operator that torch may not have under its name."""
    return Operator(name, samples, dtypes, call=getattr(aten, name), method=False, **options)


TABLE = [
    row("fake_quantize_per_tensor_affine", by_tensor),
    Operator(
        "fake_quantize_per_tensor_affine",
        with_tensors,
        FLOATS + LOW_FLOATS,
        call=without_gradient_of_scale,
        method=False,
        variant="tensor_qparams",
    ),
    row("fake_quantize_per_tensor_affine_cachemask", by_tensor),
    row("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", switched),
    row("fake_quantize_per_channel_affine", by_channel, FLOATS),
    row("fake_quantize_per_channel_affine_cachemask", by_channel, FLOATS),
    row("fake_quantize_per_tensor_affine_cachemask_backward", masked),
    row("fake_quantize_per_channel_affine_cachemask_backward", masked),
    row("_fake_quantize_learnable_per_tensor_affine", learnable, ("float32",)),
    row("_fake_quantize_learnable_per_channel_affine", learnable_channels, ("float32",)),
    row(
        "_fake_quantize_learnable_per_tensor_affine_backward",
        with_gradient(learnable),
        ("float32",),
        tolerance=(1e-5, 1e-4),
    ),
    row(
        "_fake_quantize_learnable_per_channel_affine_backward",
        with_gradient(learnable_channels),
        ("float32",),
        tolerance=(1e-5, 1e-4),
    ),
    Operator(
        "_quantized_linear_for_cpu",
        quantized_maps,
        ("float32",),
        call=quantized_linear,
        method=False,
        meta=False,
        covers=("_quantize_to_bytes_for_cpu", "_quantized_pack_for_cpu"),
    ),
    Operator(
        "_quantized_linear_dynamic_for_cpu",
        quantized_maps,
        ("float32",),
        call=quantized_linear_dynamic,
        method=False,
        meta=False,
    ),
    Operator(
        "_quantized_convolution_for_cpu",
        quantized_windows,
        ("float32",),
        call=quantized_convolution,
        method=False,
        meta=False,
    ),
    Operator(
        "_dequantize_for_cpu",
        bytes_of_numbers,
        ("int8", "uint8"),
        call=dequantized,
        method=False,
        meta=False,
    ),
    row("_int_mm", integers, ("int8", "uint8")),
    row("_scaled_mm", float8, ("float32",), tolerance=(1e-5, 1e-4)),
]
