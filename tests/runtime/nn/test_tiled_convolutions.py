"""Kernels of 3x3 elements, which are computed by tiles where there are enough channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import torch
from torch.nn import functional as F

SHAPES = [  # batch, channels before and after, height, width, padding
    (2, 64, 64, 56, 56, 1),
    (3, 33, 50, 7, 9, 0),
    (4, 128, 72, 14, 14, 1),
    (9, 40, 36, 13, 6, 2),
    (5, 64, 32, 8, 8, (1, 0)),
    (1, 32, 100, 33, 31, (2, 1)),
    (1, 256, 320, 13, 14, 1),
]


@pytest.fixture(params=[1, 3])
def threads(request: Any) -> Iterator[None]:
    """Compute with some threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("format", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize(("batch", "sources", "targets", "height", "width", "padding"), SHAPES)
def test_tiles_give_what_doubles_give(
    batch: int, sources: int, targets: int, height: int, width: int, padding: Any, format: Any
) -> None:
    torch.manual_seed(0)
    images = torch.randn(batch, sources, height, width).to(memory_format=format)
    weight, bias = torch.randn(targets, sources, 3, 3), torch.randn(targets)
    results = []
    for dtype in (torch.float32, torch.float64):
        x = images.to(dtype, copy=True).requires_grad_()
        y = F.conv2d(x, weight.to(dtype), bias.to(dtype), padding=padding)
        assert y.is_contiguous(memory_format=format)
        torch.manual_seed(1)
        (y * torch.randn(y.shape).to(dtype)).sum().backward()
        results.append((y.detach().double(), x.grad.double()))  # type: ignore[union-attr]
    for found, expected in zip(*results, strict=True):
        worst = (found - expected).abs().max() / expected.std()
        assert worst < 5e-6


@pytest.mark.parametrize("format", [torch.contiguous_format, torch.channels_last])
def test_an_element_affects_the_results_of_its_window_only(format: Any) -> None:
    images = torch.zeros(4, 32, 9, 9)
    images[1, 5, 8, 8] = images[2, 31, 4, 5] = torch.nan
    images = images.to(memory_format=format)
    found = F.conv2d(images, torch.ones(32, 32, 3, 3), padding=1).isnan()
    expected = torch.zeros(4, 32, 9, 9, dtype=torch.bool)
    expected[1, :, 7:, 7:] = True
    expected[2, :, 3:6, 4:7] = True
    assert torch.equal(found, expected)


def test_tiles_can_be_turned_off() -> None:
    torch.manual_seed(0)
    images, weight = torch.randn(4, 32, 9, 9), torch.randn(32, 32, 3, 3)
    by_tiles = F.conv2d(images, weight)
    with torch.backends.mkldnn.flags(enabled=False):
        assert not torch.backends.mkldnn.enabled
        directly = F.conv2d(images, weight)
    assert torch.backends.mkldnn.enabled
    without_tiles = torch.backends.cpu.get_cpu_capability() == "DEFAULT"
    assert torch.equal(by_tiles, directly) == without_tiles
    torch.testing.assert_close(by_tiles, directly, rtol=1e-5, atol=1e-4)
