"""Operators of images give the same in channels-last order as in the usual one, in that order."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest

import torch
import torch.nn.functional as F

Call = Callable[[torch.Tensor], torch.Tensor]
LAST = torch.channels_last


def _weight(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


CALLS: dict[str, Call] = {
    "pointwise": lambda x: F.conv2d(x, _weight(7, x.size(1), 1, 1).to(x.dtype)),
    "pointwise-bias": lambda x: F.conv2d(
        x, _weight(7, x.size(1), 1, 1).to(x.dtype), _weight(7).to(x.dtype)
    ),
    "pointwise-strided": lambda x: F.conv2d(
        x, _weight(7, x.size(1), 1, 1).to(x.dtype), stride=(2, 3)
    ),
    "pointwise-transposed": lambda x: F.conv_transpose2d(
        x, _weight(x.size(1), 5, 1, 1).to(x.dtype), _weight(5).to(x.dtype)
    ),
    "pointwise-transposed-strided": lambda x: F.conv_transpose2d(
        x, _weight(x.size(1), 5, 1, 1).to(x.dtype), _weight(5).to(x.dtype), 3, 0, 2
    ),
    "depthwise": lambda x: F.conv2d(
        x, _weight(x.size(1), 1, 3, 3).to(x.dtype), None, 1, 1, 1, x.size(1)
    ),
    "depthwise-strided": lambda x: F.conv2d(
        x,
        _weight(x.size(1), 1, 3, 2).to(x.dtype),
        _weight(x.size(1)).to(x.dtype),
        (2, 3),
        (1, 0),
        (1, 2),
        x.size(1),
    ),
    "depthwise-wide": lambda x: F.conv2d(
        x, _weight(x.size(1), 1, 7, 5).to(x.dtype), None, 1, (3, 4), (1, 1), x.size(1)
    ),
    "depthwise-wider-than-the-image": lambda x: F.conv2d(
        x, _weight(x.size(1), 1, 3, 9).to(x.dtype), None, (1, 2), (0, 7), (3, 2), x.size(1)
    ),
    "depthwise-transposed": lambda x: F.conv_transpose2d(
        x,
        _weight(x.size(1), 1, 3, 3).to(x.dtype),
        _weight(x.size(1)).to(x.dtype),
        1,
        1,
        0,
        x.size(1),
    ),
    "convolution": lambda x: F.conv2d(x, _weight(4, x.size(1), 3, 3).to(x.dtype), None, 2, 1),
    "convolution-of-wide-images": lambda x: F.conv2d(
        F.pad(x, (0, 13)), _weight(40, x.size(1), 3, 3).to(x.dtype), _weight(40).to(x.dtype), 1, 1
    ),
    "convolution-wide-strided": lambda x: F.conv2d(
        F.pad(x, (0, 13)), _weight(33, x.size(1), 3, 5).to(x.dtype), None, (1, 2), 0, (2, 1)
    ),
    "convolution-wide-transposed": lambda x: F.conv_transpose2d(
        x, _weight(x.size(1), 20, 3, 3).to(x.dtype), _weight(20).to(x.dtype)
    ),
    "convolution-wide-far-beyond-the-image": lambda x: F.conv2d(
        x, _weight(18, x.size(1), 2, 3).to(x.dtype), None, 1, (12, 5)
    ),
    "max-pool": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max-pool-dilated": lambda x: F.max_pool2d(x, 2, 1, 0, 2),
    "average-pool": lambda x: F.avg_pool2d(x, 2),
    "pixel-shuffle": lambda x: F.pixel_shuffle(torch.cat([x] * 4, 1), 2),
    "pixel-unshuffle": lambda x: F.pixel_unshuffle(F.pad(x, (0, 1, 1, 2)), 3),
    "cat": lambda x: torch.cat([x, x * 2, x], 1),
    "cat-images": lambda x: torch.cat([x, x * 2]),
    "cat-rows": lambda x: torch.cat([x, x[:, :, :2] * 2], 2),
    "cat-columns": lambda x: torch.cat([x, x * 2], -1),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "nearest-smaller": lambda x: F.interpolate(x, size=(3, 5)),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "bilinear-corners": lambda x: F.interpolate(
        x, size=(13, 4), mode="bilinear", align_corners=True
    ),
    "batch-norm": lambda x: F.batch_norm(
        x, torch.full((x.size(1),), 0.3, dtype=x.dtype), _weight(x.size(1)).abs().to(x.dtype) + 1
    ),
    "group-norm": lambda x: F.group_norm(x, x.size(1)),
    "group-norm-of-groups": lambda x: F.group_norm(
        x, math.gcd(x.size(1), 10), _weight(x.size(1)).to(x.dtype)
    ),
    "group-norm-of-one": lambda x: F.group_norm(
        x + 50, 1, _weight(x.size(1)).to(x.dtype), _weight(x.size(1)).to(x.dtype)
    ),
    "batch-norm-training": lambda x: F.batch_norm(
        x, None, None, _weight(x.size(1)).to(x.dtype), _weight(x.size(1)).to(x.dtype), True
    ),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("channels", [1, 3, 16, 20, 70])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_values_gradients_and_order(call: Call, channels: int, dtype: torch.dtype) -> None:
    torch.manual_seed(channels)
    plain = torch.randn(3, channels, 9, 17, dtype=dtype).requires_grad_()
    last = plain.detach().clone(memory_format=LAST).requires_grad_()
    expected, got = call(plain), call(last)
    close = dict.fromkeys(("rtol", "atol"), 1e-4 if dtype == torch.float32 else 1e-10)
    torch.testing.assert_close(got, expected, **close)
    if channels > 1:
        assert got.is_contiguous(memory_format=LAST)
    seed = torch.randn_like(expected)
    for order in (torch.contiguous_format, LAST):
        (wanted,) = torch.autograd.grad(expected, plain, seed, retain_graph=True)
        (grad,) = torch.autograd.grad(got, last, seed.clone(memory_format=order), retain_graph=True)
        torch.testing.assert_close(grad, wanted, **close)


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("groups", [1, 4])
def test_convolutions_of_no_images(kernel: int, groups: int) -> None:
    x = torch.empty(0, 4, 5, 6).contiguous(memory_format=LAST).requires_grad_()
    w = _weight(4, 4 // groups, kernel, kernel).contiguous(memory_format=LAST).requires_grad_()
    grads = torch.autograd.grad(F.conv2d(x, w, groups=groups).sum(), (x, w))
    assert [grad.shape for grad in grads] == [x.shape, w.shape]
    assert not grads[1].any()


@pytest.mark.parametrize(
    ("dim", "strides"),
    [
        (0, (840, 210, 1, 42, 6)),
        (1, (420, 6, 1, 84, 12)),
        (2, (420, 1, 210, 42, 6)),
        (3, (420, 1, 84, 42, 6)),
        (4, (420, 70, 14, 2, 1)),
    ],
)
def test_stacks(dim: int, strides: tuple[int, ...]) -> None:
    x = torch.randn(4, 6, 5, 7)
    got = torch.stack([x.contiguous(memory_format=LAST)] * 2, dim)
    assert torch.equal(got, torch.stack([x, x], dim))
    assert got.stride() == strides


@pytest.mark.parametrize("kernel", [1, 3, (5, 2)], ids=str)
@pytest.mark.parametrize("options", [(1, 0, 1), (2, 1, 1), ((1, 3), (0, 2), (2, 3))], ids=str)
@pytest.mark.parametrize("channels", [6, 37])
@pytest.mark.parametrize("depthwise", [False, True], ids=["all-channels", "by-channel"])
@pytest.mark.parametrize("transposed", [False, True], ids=["", "transposed"])
def test_gradients_of_weights(
    kernel: Any, options: tuple[Any, ...], channels: int, depthwise: bool, transposed: bool
) -> None:
    torch.manual_seed(0)
    layer = torch.nn.ConvTranspose2d if transposed else torch.nn.Conv2d
    plain = layer(
        channels,
        channels,
        kernel,
        stride=options[0],
        padding=0 if transposed else options[1],
        dilation=options[2],
        groups=channels if depthwise else 1,
        dtype=torch.float64,
    )
    last = copy.deepcopy(plain).to(memory_format=LAST)
    x = torch.randn(2, channels, 12, 13, dtype=torch.float64)
    grads = []
    for module, order in ((plain, torch.contiguous_format), (last, LAST)):
        leaf = x.clone(memory_format=order).requires_grad_()
        out = module(leaf)
        grads.append([out, *torch.autograd.grad(out.square().sum(), (leaf, *module.parameters()))])
    torch.testing.assert_close(grads[1], grads[0])


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("channels", [2, 16, 21])
def test_places_of_maxima(dtype: torch.dtype, channels: int) -> None:
    torch.manual_seed(0)
    x = torch.randint(0, 4, (2, channels, 8, 9)).to(dtype)
    if dtype.is_floating_point:
        x[0, 0, 3, 4] = torch.nan
        x[1, 1, :, :] = -torch.inf
    wanted = F.max_pool2d(x, 3, 2, 1, return_indices=True)
    got = F.max_pool2d(x.contiguous(memory_format=LAST), 3, 2, 1, return_indices=True)
    torch.testing.assert_close(got, wanted, equal_nan=True)
