"""A convolution of many channels equals convolutions of a few channels each.

Kernels for many channels keep channels in the lanes of a register, and kernels for few channels keep
positions there. The tests compare one with the other.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

import torch
from torch import Tensor

FEW = 3  # channels, fewer than the lanes of a register


class Shape(NamedTuple):
    """Sizes of the input and the kernel, and the stride, padding and dilation."""

    batch: int
    channels: int
    targets: int
    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: int = 1
    padding: int = 0
    dilation: int = 1

    def move(self) -> tuple[list[int], list[int], list[int], bool, list[int], int]:
        """Return the arguments that follow the tensors."""
        stride, padding, dilation, none = (
            [value] * len(self.size) for value in (self.stride, self.padding, self.dilation, 0)
        )
        return stride, padding, dilation, False, none, 1


SHAPES = {
    "a whole register": Shape(2, 16, 32, (9, 9), (3, 3), padding=1),
    "a part of a second one": Shape(2, 21, 37, (8, 11), (3, 2)),
    "stride": Shape(1, 18, 33, (13, 14), (3, 3), stride=2, padding=1),
    "stride beyond the kernel": Shape(2, 17, 20, (10, 10), (2, 2), stride=3),
    "dilation": Shape(1, 32, 17, (12, 12), (3, 3), dilation=2, padding=2),
    "a row longer than a band": Shape(1, 19, 16, (2, 700), (1, 5), padding=2),
    "more images than are packed at once": Shape(30, 16, 16, (40, 48), (1, 1)),
    "one pixel": Shape(5, 40, 40, (1, 1), (3, 3), padding=1),
    "a line": Shape(2, 16, 31, (50,), (4,), stride=2),
    "rows of two tiles": Shape(1, 16, 20, (3, 32), (3, 3), padding=1),
    "rows a little longer than a tile": Shape(2, 16, 16, (3, 17), (3, 3), padding=1),
    "a stride along long rows": Shape(1, 16, 18, (5, 67), (3, 3), stride=2, padding=1),
    "a volume": Shape(2, 16, 19, (4, 5, 6), (2, 3, 2), padding=1),
}


def slices(count: int) -> list[slice]:
    return [slice(start, start + FEW) for start in range(0, count, FEW)]


@pytest.fixture(params=[torch.float32, torch.float64], ids=str)
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


@pytest.fixture(params=SHAPES.values(), ids=SHAPES.keys())
def shape(request: pytest.FixtureRequest) -> Shape:
    return request.param


def operands(shape: Shape, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    x = torch.randn(shape.batch, shape.channels, *shape.size, dtype=dtype)
    weight = torch.randn(shape.targets, shape.channels, *shape.kernel, dtype=dtype)
    return x, weight, torch.randn(shape.targets, dtype=dtype)


def check(whole: Tensor, parts: list[Tensor], dim: int, terms: int) -> None:
    # A sum of n normal numbers is about sqrt(n) and is rounded n times.
    tolerance = 4 * torch.finfo(whole.dtype).eps * terms
    torch.testing.assert_close(whole, torch.cat(parts, dim), rtol=0, atol=tolerance)


def test_output(shape: Shape, dtype: torch.dtype) -> None:
    x, weight, bias = operands(shape, dtype)
    convolve = torch.ops.aten.convolution
    parts = [convolve(x, weight[s], bias[s], *shape.move()) for s in slices(shape.targets)]
    whole = convolve(x, weight, bias, *shape.move())
    check(whole, parts, 1, weight[0].numel())


def test_gradient_of_input(shape: Shape, dtype: torch.dtype) -> None:
    x, weight, _ = operands(shape, dtype)
    g = torch.randn_like(torch.ops.aten.convolution(x, weight, None, *shape.move()))

    def gradient(of: slice) -> Tensor:
        return torch.ops.aten.convolution_backward(
            g, x[:, of], weight[:, of], None, *shape.move(), [True, False, False]
        )[0]

    parts = [gradient(s) for s in slices(shape.channels)]
    check(gradient(slice(None)), parts, 1, weight[:, 0].numel())


def test_gradient_of_weight(shape: Shape, dtype: torch.dtype) -> None:
    x, weight, _ = operands(shape, dtype)
    g = torch.randn_like(torch.ops.aten.convolution(x, weight, None, *shape.move()))

    def gradient(of: slice) -> Tensor:
        return torch.ops.aten.convolution_backward(
            g[:, of], x, weight[of], None, *shape.move(), [False, True, False]
        )[1]

    parts = [gradient(s) for s in slices(shape.targets)]
    check(gradient(slice(None)), parts, 0, g[:, 0].numel())
