"""Attention and convolutions of bfloat16, which a processor's tile unit computes where it has one.

Disabling mkldnn refuses the unit, as ATEN_CPU_CAPABILITY=avx2 does; either way results are those of
float, rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import torch
from torch.nn import functional

MINUS_INFINITY = -math.inf


@pytest.fixture(params=["with the unit", "without"], autouse=True)
def _unit(request: pytest.FixtureRequest) -> object:
    with torch.backends.mkldnn.flags(enabled=request.param == "with the unit"):
        yield


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def halves(*sizes: int) -> torch.Tensor:
    return torch.randn(*sizes).bfloat16()


def among_nan(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same numbers as a part of a tensor that is NaN elsewhere."""
    wide = torch.full([size + 2 for size in tensor.shape], math.nan, dtype=tensor.dtype)
    inner = wide[tuple(slice(1, -1) for _ in tensor.shape)]
    return inner.copy_(tensor)


def assert_rounded(found: torch.Tensor, expected: torch.Tensor, tolerance: float) -> None:
    assert found.dtype == torch.bfloat16
    scale = expected.abs().max().item()
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=tolerance * scale)


def attend_in_double(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool
) -> torch.Tensor:
    scores = q.double() @ k.double().transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores + mask.double()
    if causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~seen, MINUS_INFINITY)
    return torch.softmax(scores, -1).nan_to_num(0) @ v.double()


SHAPES = [  # queries, keys, width, heads of values of the same width
    (1, 1, 1),
    (1, 300, 64),
    (5, 7, 3),
    (33, 257, 40),
    (64, 64, 64),
    (100, 512, 65),
]


@pytest.mark.parametrize(("queries", "keys", "width"), SHAPES)
@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_that_of_double(queries: int, keys: int, width: int, causal: bool) -> None:
    q, k, v = (halves(2, 3, length, width) for length in (queries, keys, keys))
    found = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert_rounded(found, attend_in_double(q, k, v, None, causal), 0.01)


MASKS: dict[str, Callable[[], torch.Tensor]] = {
    "one number per score": lambda: halves(70, 290),
    "one per query": lambda: halves(70, 1),
    "one per key": lambda: halves(2, 1, 1, 290),
    "one per head": lambda: halves(1, 3, 1, 1),
}


@pytest.mark.parametrize("mask", MASKS)
def test_a_mask_is_added(mask: str) -> None:
    q, k, v = (halves(2, 3, length, 48) for length in (70, 290, 290))
    added = MASKS[mask]()
    found = functional.scaled_dot_product_attention(q, k, v, added)
    assert_rounded(found, attend_in_double(q, k, v, added, False), 0.01)


def test_a_query_without_keys_gives_zeros() -> None:
    q, k, v = (halves(1, 2, 40, 16) for _ in range(3))
    seen = torch.rand(40, 40) > 0.5
    seen[3] = False
    found = functional.scaled_dot_product_attention(q, k, v, seen)
    assert torch.equal(found[:, :, 3], torch.zeros(1, 2, 16, dtype=torch.bfloat16))
    added = torch.zeros(40, 40).masked_fill(~seen, MINUS_INFINITY)
    assert_rounded(found, attend_in_double(q, k, v, added, False), 0.01)


def test_attention_reads_only_its_operands() -> None:
    q, k, v = (halves(2, 2, length, 24) for length in (35, 45, 45))
    expected = functional.scaled_dot_product_attention(q, k, v)
    found = functional.scaled_dot_product_attention(*(among_nan(t) for t in (q, k, v)))
    assert torch.equal(found, expected)


def test_heads_may_be_the_inner_dimension() -> None:
    by_length = [halves(2, 50, 3, 16).transpose(1, 2) for _ in range(3)]
    expected = functional.scaled_dot_product_attention(*(t.contiguous() for t in by_length))
    found = functional.scaled_dot_product_attention(*by_length)
    assert torch.equal(found, expected)
    assert found.stride() == by_length[0].stride()


def test_attention_has_the_gradients_of_double() -> None:
    half = [halves(1, 2, 70, 32).requires_grad_() for _ in range(3)]
    wide = [t.detach().double().requires_grad_() for t in half]
    grad = halves(1, 2, 70, 32)
    found = torch.autograd.grad(
        functional.scaled_dot_product_attention(*half, is_causal=True), half, grad
    )
    expected = torch.autograd.grad(attend_in_double(*wide, None, True), wide, grad.double())
    for one, other in zip(found, expected, strict=True):
        assert_rounded(one, other, 0.02)


CONVOLUTIONS = [  # channels in, out, side, kernel, stride, padding, dilation
    (16, 32, 14, 3, 1, 1, 1),
    (3, 20, 33, 7, 2, 3, 1),
    (64, 48, 9, 1, 1, 0, 1),
    (33, 40, 15, 3, 2, 1, 1),
    (20, 40, 15, 3, 1, 2, 2),
    (128, 65, 7, 3, 1, 1, 1),
    (48, 16, 10, 1, 2, 0, 1),
    (5, 6, 12, 5, 1, 2, 1),
    (32, 8, 130, 3, 1, 1, 1),
]


@pytest.mark.parametrize("convolution", CONVOLUTIONS)
@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("has_bias", [False, True])
def test_convolution_is_that_of_double(
    convolution: tuple[int, ...], order: torch.memory_format, has_bias: bool
) -> None:
    channels, out, side, kernel, *options = convolution
    x = halves(3, channels, side, side + 1).contiguous(memory_format=order).requires_grad_()
    w = halves(out, channels, kernel, kernel).requires_grad_()
    b = halves(out) if has_bias else None
    wide = [t.detach().double().requires_grad_() for t in (x, w)]
    found = functional.conv2d(x, w, b, *options)
    expected = functional.conv2d(*wide, b.double() if has_bias else None, *options)
    assert found.is_contiguous(memory_format=order)
    assert_rounded(found.detach(), expected.detach(), 0.005)
    grad = halves(*found.shape)
    pairs = zip(
        torch.autograd.grad(found, (x, w), grad),
        torch.autograd.grad(expected, wide, grad.double()),
        strict=True,
    )
    for one, other in pairs:
        assert_rounded(one, other, 0.005)


def test_convolution_reads_only_its_operands() -> None:
    x, w = halves(2, 12, 9, 9), halves(24, 12, 3, 3)
    expected = functional.conv2d(x, w, padding=1)
    assert torch.equal(functional.conv2d(among_nan(x), among_nan(w), padding=1), expected)


WEIGHTS = [  # images, channels in, out, height, width, kernel, stride, padding, dilation
    (1, 8, 8, 5, 700, 3, 1, 1, 1),
    (2, 40, 70, 31, 9, 3, 2, 2, 1),
    (3, 33, 16, 12, 11, 2, 3, 0, 2),
    (2, 16, 64, 4, 3, 5, 1, 4, 2),
    (1, 64, 9, 190, 190, 1, 1, 0, 1),
    (4, 16, 300, 60, 60, 3, 1, 1, 1),
]


def gradient_of_weight(
    convolve: Callable[..., torch.Tensor],
    x: torch.Tensor,
    w: torch.Tensor,
    grad: torch.Tensor,
    options: list[int],
) -> torch.Tensor:
    leaf = w.clone().requires_grad_()
    return torch.autograd.grad(convolve(x, leaf, None, *options), leaf, grad)[0]


@pytest.mark.parametrize("case", WEIGHTS)
def test_gradient_of_a_weight_is_that_of_double(case: tuple[int, ...]) -> None:
    images, channels, out, height, width, kernel, *options = case
    x, w = halves(images, channels, height, width), halves(out, channels, kernel, kernel)
    grad = halves(*functional.conv2d(x, w, None, *options).shape)
    found = gradient_of_weight(functional.conv2d, x, w, grad, options)
    wide = (t.double() for t in (x, w, grad))
    assert_rounded(found, gradient_of_weight(functional.conv2d, *wide, options), 0.005)
    among = (among_nan(t) for t in (x, w, grad))
    assert found.equal(gradient_of_weight(functional.conv2d, *among, options))
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    assert found.equal(gradient_of_weight(functional.conv2d, x, w, grad, options))
    torch.set_num_threads(before)


def test_gradient_of_a_transposed_weight_is_that_of_double() -> None:
    x, w, grad = halves(3, 24, 20, 13), halves(24, 40, 3, 3), halves(3, 40, 39, 25)
    found = gradient_of_weight(functional.conv_transpose2d, x, w, grad, [2, 1])
    wide = (t.double() for t in (x, w, grad))
    assert_rounded(found, gradient_of_weight(functional.conv_transpose2d, *wide, [2, 1]), 0.005)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int16])
@pytest.mark.parametrize(("rows", "columns"), [(1, 70), (31, 17), (32, 16), (65, 49), (200, 130)])
def test_transposed_copies_of_two_bytes(dtype: torch.dtype, rows: int, columns: int) -> None:
    whole = torch.arange(rows * (columns + 3)).reshape(rows, columns + 3).to(dtype)
    part = whole[:, 1:-2]
    found = part.t().contiguous()
    assert found.tolist() == [list(column) for column in zip(*part.tolist(), strict=True)]


@pytest.mark.parametrize("columns", [1, 15, 17, 100, 2047, 2048, 2049])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_softmax_is_rounded_once(columns: int, dtype: torch.dtype) -> None:
    rows = (torch.randn(3, columns) * 3).to(dtype)
    expected = torch.softmax(rows.double(), 1)
    found = torch.softmax(rows, 1)
    assert found.dtype == dtype
    smallest = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps
    torch.testing.assert_close(
        found.double(), expected, rtol=0.51 * torch.finfo(dtype).eps, atol=smallest
    )


def test_gelu_of_every_number_is_rounded_once() -> None:
    words = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
    every = words.view(torch.bfloat16)
    found = functional.gelu(every)
    assert found.isnan().equal(every.isnan() | (every == MINUS_INFINITY))
    x = every[every > -4]  # float, and its erf, leave few bits of the results below
    expected = functional.gelu(x.double())
    spacing = torch.maximum(expected.abs().frexp().exponent - 8, torch.tensor(-133))
    error = (functional.gelu(x).double() - expected).ldexp(-spacing)
    assert error[expected.abs() < torch.finfo(torch.bfloat16).max].abs().max() < 0.51
    assert functional.gelu(every[(every < -6) & (every > MINUS_INFINITY)]).abs().max() < 1e-6
    zeros = torch.tensor([0.0, -0.0]).bfloat16()
    assert torch.signbit(functional.gelu(zeros)).tolist() == [False, True]


@pytest.mark.parametrize("count", [1, 31, 32, 33, 100])
def test_gelu_of_any_layout_is_the_same(count: int) -> None:
    x = halves(count, 3)
    expected = [functional.gelu(number) for number in x[:, 1]]
    assert functional.gelu(x[:, 1]).equal(torch.stack(expected))
    assert functional.gelu(x[:, 1].contiguous()).equal(torch.stack(expected))
    assert functional.gelu(among_nan(x)).equal(functional.gelu(x))
