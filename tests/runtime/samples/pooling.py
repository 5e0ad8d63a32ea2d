"""Samples of the poolings."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

nn = torch.nn.functional
aten = torch.ops.aten
ANY_FLOAT = FLOATS + LOW_FLOATS


def poolings(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 8, 9), 2)
    yield sample(make(2, 3, 8, 9), 3, 2, 1)
    yield sample(make(2, 3, 8, 9), (2, 3), (1, 2), (1, 1), (2, 1))
    yield sample(make(2, 3, 8, 9), 3, 2, 1, 1, True)
    yield sample(make(3, 8, 9), 2)
    yield sample(make(2, 8, 9, 3).permute(0, 3, 1, 2), 2)
    if make.is_float:
        tensor = make(1, 1, 4, 4)
        tensor[0, 0, 1, 1] = float("nan")
        yield sample(tensor, 2)


def adaptive(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 8, 9), (2, 3))
    yield sample(make(2, 3, 7, 5), (3, 4))
    yield sample(make(3, 8, 9), (1, 1))
    yield sample(make(8, 2, 3, 9).permute(1, 2, 0, 3), (4, 4))


def lines(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 9), 2)
    yield sample(make(3, 9), 3, 2, 1)
    yield sample(make(2, 3, 10), 3, 2, 1, ceil_mode=True)


def strided_lines(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 9), [2])
    yield sample(make(3, 9), [3], [2], [1])
    yield sample(make(2, 3, 10), [2], [2], [1], [3], True)


def averages(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 8, 9), 2)
    yield sample(make(2, 3, 8, 9), 3, 2, 1)
    yield sample(make(2, 3, 8, 9), (2, 3), (1, 2), (1, 1), True, False)
    yield sample(make(2, 3, 8, 9), 3, 2, 1, True, True)
    yield sample(make(2, 3, 8, 9), 3, 2, 1, False, False, 5)
    yield sample(make(3, 8, 9), 2)
    yield sample(make(2, 8, 9, 3).permute(0, 3, 1, 2), 3, 2, 1)
    yield sample(make(8, 2, 3, 9).permute(1, 2, 0, 3), 3)
    yield sample(make(0, 3, 8, 9), 2)


def adaptive_averages(make: Maker) -> Iterator[Sample]:
    yield from adaptive(make)
    yield sample(make(0, 3, 8, 9), (2, 3))
    yield sample(make(2, 8, 9, 3).permute(0, 3, 1, 2), (1, 1))
    yield sample(make(2, 8, 9, 3).permute(0, 3, 1, 2), (3, 5))


def larger_averages(make: Maker) -> Iterator[Sample]:
    """Return sizes above one cell, for which PyTorch would use mean() with other dtypes."""
    for each in adaptive_averages(make):
        if each.args[1] != (1, 1):
            yield each


def adaptive_lines(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 9), [4])
    yield sample(make(3, 9), [2])


def average_gradients(make: Maker) -> Iterator[Sample]:
    rest = (False, True, None)
    yield sample(make(2, 3, 4, 4), make(2, 3, 8, 9), [2, 2], [2, 2], [0, 0], *rest)
    yield sample(make(2, 3, 4, 5), make(2, 3, 8, 9), [3, 3], [2, 2], [1, 1], *rest)
    yield sample(make(2, 3, 5, 5), make(2, 3, 8, 9), [3], [2], [1], True, False, None)
    yield sample(make(3, 4, 4), make(3, 8, 9), [2], [], [0], False, True, 3)
    last = make(2, 8, 9, 3).permute(0, 3, 1, 2)
    yield sample(make(2, 3, 4, 5), last, [3, 3], [2, 2], [1, 1], *rest)


def adaptive_gradients(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 2, 3), make(2, 3, 8, 9))
    yield sample(make(2, 3, 1, 1), make(2, 3, 8, 9))
    yield sample(make(3, 3, 4), make(3, 7, 5))
    yield sample(make(2, 3, 3, 5), make(2, 8, 9, 3).permute(0, 3, 1, 2))


def cells(make: Maker, shape: tuple[int, ...], size: int) -> torch.Tensor:
    return make.indices(*shape, high=size)


def max_gradients(make: Maker) -> Iterator[Sample]:
    rest = ([2, 2], [2, 2], [0, 0], [1, 1], False)
    yield sample(make(2, 3, 4, 4), make(2, 3, 8, 9), *rest, cells(make, (2, 3, 4, 4), 72))
    yield sample(make(3, 4, 4), make(3, 8, 9), *rest, cells(make, (3, 4, 4), 72))
    last = make(2, 8, 9, 3).permute(0, 3, 1, 2)
    yield sample(make(2, 3, 4, 4), last, *rest, cells(make, (2, 3, 4, 4), 72))


def adaptive_max_gradients(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4, 4), make(2, 3, 8, 9), cells(make, (2, 3, 4, 4), 72))
    yield sample(make(3, 2, 3), make(3, 8, 9), cells(make, (3, 2, 3), 72))
    last = make(2, 8, 9, 3).permute(0, 3, 1, 2)
    yield sample(make(2, 3, 4, 4), last, cells(make, (2, 3, 4, 4), 72))


def pooling(name: str, samples: object, call: object, **rest: object) -> Operator:
    return Operator(
        name, samples, FLOATS, call=call, method=False, low_tolerance=(5e-2, 2e-2), **rest
    )


TABLE = [
    Operator("max_pool2d", poolings, ANY_FLOAT, call=nn.max_pool2d, method=False),
    pooling("max_pool2d_with_indices", poolings, torch._C._nn.max_pool2d_with_indices),
    pooling("adaptive_max_pool2d", adaptive, torch._C._nn.adaptive_max_pool2d),
    pooling("max_pool1d", lines, nn.max_pool1d),
    pooling("max_pool1d_with_indices", strided_lines, torch.max_pool1d_with_indices),
    pooling("avg_pool1d", lines, torch.avg_pool1d),
    pooling("avg_pool2d", averages, torch._C._nn.avg_pool2d, out=True),
    pooling("adaptive_avg_pool1d", adaptive_lines, torch.adaptive_avg_pool1d),
    pooling("adaptive_max_pool1d", adaptive_lines, torch.adaptive_max_pool1d),
    pooling("adaptive_avg_pool2d", adaptive_averages, torch._C._nn.adaptive_avg_pool2d, out=True),
    pooling("_adaptive_avg_pool2d", larger_averages, aten._adaptive_avg_pool2d),
    pooling("avg_pool2d_backward", average_gradients, aten.avg_pool2d_backward),
    pooling(
        "_adaptive_avg_pool2d_backward", adaptive_gradients, aten._adaptive_avg_pool2d_backward
    ),
    pooling(
        "max_pool2d_with_indices_backward", max_gradients, aten.max_pool2d_with_indices_backward
    ),
    pooling(
        "adaptive_max_pool2d_backward", adaptive_max_gradients, aten.adaptive_max_pool2d_backward
    ),
]
