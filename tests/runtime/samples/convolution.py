"""Samples of the convolutions."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, INTS, Maker, Operator, Sample, sample

nn = torch.nn.functional
aten = torch.ops.aten


def convolutions(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 7, 8), make(4, 3, 3, 3))
    yield sample(make(2, 3, 7, 8), make(4, 3, 3, 3), make(4), padding=1)
    yield sample(
        make(2, 3, 7, 8), make(4, 3, 3, 2), make(4), stride=2, padding=(1, 0), dilation=(1, 2)
    )
    yield sample(make(2, 4, 7, 7), make(6, 2, 3, 3), make(6), groups=2)
    yield sample(make(2, 4, 6, 6), make(4, 1, 3, 3), None, padding=1, groups=4)
    yield sample(make(3, 7, 8), make(4, 3, 3, 3))
    yield sample(make(2, 3, 5, 5), make(4, 3, 1, 1), make(4))
    yield sample(make(2, 3, 7, 8), make(4, 3, 3, 3), padding="same")
    yield sample(make(2, 3, 7, 8), make(4, 3, 3, 3), padding="valid")
    yield sample(make(2, 7, 8, 3).permute(0, 3, 1, 2), make(4, 3, 3, 3), padding=1)
    yield sample(make(1, 16, 20, 20), make(32, 16, 3, 3), padding=1)


def full_convolutions(make: Maker) -> Iterator[Sample]:
    yield sample(
        make(2, 3, 7, 8), make(4, 3, 3, 3), make(4), (1, 1), (1, 1), (1, 1), False, (0, 0), 1
    )


def lines(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 9), make(4, 3, 3))
    yield sample(make(2, 4, 30), make(6, 2, 5), make(6), stride=2, padding=2, groups=2)
    yield sample(make(3, 9), make(4, 3, 2), make(4), dilation=3)
    yield sample(make(2, 3, 9), make(4, 3, 4), padding="same")
    yield sample(make(9, 3, 2).permute(2, 1, 0), make(4, 3, 3), padding="valid")
    yield sample(make(0, 3, 9), make(4, 3, 3))
    yield sample(make(1, 1, 2000), make(1, 1, 7), padding=3)


def volumes(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 5, 6, 7), make(4, 3, 2, 3, 3), make(4))
    yield sample(make(1, 2, 5, 6, 7), make(4, 1, 2, 2, 2), None, (1, 2, 2), 1, groups=2)
    yield sample(make(2, 5, 5, 6), make(1, 2, 2, 3, 3), dilation=(2, 1, 1), padding="same")


def transposed(dims: int):
    def samples(make: Maker) -> Iterator[Sample]:
        image, kernel = (5, 7, 6)[:dims], (3, 2, 3)[:dims]
        yield sample(make(2, 4, *image), make(4, 3, *kernel))
        yield sample(make(2, 4, *image), make(4, 3, *kernel), make(3), 2, 1, 1)
        yield sample(make(2, 4, *image), make(4, 3, *kernel), make(6), 3, 0, 2, 2)
        yield sample(make(4, *image), make(4, 2, *kernel), None, 1, 1, dilation=2)
        yield sample(make(2, 4, *image), make(4, 2, *(1,) * dims), None, 2)
        yield sample(make(0, 4, *image), make(4, 3, *kernel))
        if dims == 2:
            yield sample(make(2, 5, 7, 4).permute(0, 3, 1, 2), make(4, 3, *kernel), make(3), 2)

    return samples


Shapes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def gradients(make: Maker) -> Iterator[Sample]:
    if not (make.is_float or make.is_complex):  # integers have no gradients
        return

    def one(
        shapes: Shapes,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        transposed: bool = False,
        more: int = 0,
        groups: int = 1,
    ) -> Iterator[Sample]:
        grad, image, weight = shapes
        dims = len(image) - 2
        spread = [[value] * dims for value in (stride, padding, dilation, more)]
        for mask in ([True, True, True], [True, False, False], [False, True, False]):
            yield sample(
                make(*grad),
                make(*image),
                make(*weight),
                [grad[1]],
                *spread[:3],
                transposed,
                spread[3],
                groups,
                mask,
            )

    yield from one(((2, 4, 5, 6), (2, 3, 7, 8), (4, 3, 3, 3)))
    yield from one(((2, 4, 7, 8), (2, 3, 7, 8), (4, 3, 3, 3)), padding=1)
    yield from one(((2, 4, 4, 4), (2, 3, 7, 8), (4, 3, 3, 3)), stride=2, padding=1)
    yield from one(((2, 4, 3, 4), (2, 3, 9, 10), (4, 3, 2, 2)), stride=3, padding=1, dilation=2)
    yield from one(((2, 6, 5, 5), (2, 4, 7, 7), (6, 2, 3, 3)), groups=2)
    yield from one(((2, 4, 7, 7), (2, 4, 7, 7), (4, 1, 3, 3)), padding=1, groups=4)
    yield from one(((2, 4, 9, 10), (2, 4, 7, 8), (4, 4, 1, 1)), padding=1)
    yield from one(((3, 20, 24, 25), (3, 17, 24, 25), (20, 17, 3, 3)), padding=1)
    yield from one(((2, 4, 8), (2, 3, 9), (4, 3, 2)))
    yield from one(((2, 4, 2, 3, 4), (2, 3, 3, 4, 5), (4, 3, 2, 2, 2)))
    yield from one(((2, 3, 7, 9), (2, 4, 5, 7), (4, 3, 3, 3)), transposed=True)
    yield from one(
        ((2, 6, 13, 19), (2, 4, 5, 7), (4, 3, 2, 2)),
        stride=3,
        padding=1,
        transposed=True,
        more=1,
        groups=2,
    )
    yield from one(((0, 4, 5, 6), (0, 3, 7, 8), (4, 3, 3, 3)))


def nearby(make: Maker) -> Iterator[Sample]:
    """Return gradients of every layout: channels last, transposed, expanded."""
    arguments = ([4], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    image, weight = make(2, 7, 8, 3).permute(0, 3, 1, 2), make(4, 3, 3, 3)
    yield sample(make(2, 4, 7, 8), image, weight, *arguments)
    yield sample(make(2, 4, 1, 1).expand(2, 4, 7, 8), make(2, 3, 8, 7).mT, weight, *arguments)


def full(transposed: bool):
    def samples(make: Maker) -> Iterator[Sample]:
        flags = (False, False, True, True)
        weight = make(3, 4, 3, 3) if transposed else make(4, 3, 3, 3)
        sizes = ([1, 1], [1, 1], [1, 1], transposed, [0, 0], 1)
        yield sample(make(2, 3, 7, 8), weight, make(4), *sizes, *flags)

    return samples


def modes(make: Maker) -> Iterator[Sample]:
    for padding in ("same", "valid"):
        yield sample(make(2, 3, 7, 8), make(4, 3, 3, 2), make(4), [1, 1], padding, [2, 1], 1)


def second_gradients(make: Maker) -> Iterator[Sample]:
    if make.dtype in INTS:  # they have no derivatives
        return
    image, weight, grad = make(2, 3, 7, 8), make(4, 3, 3, 3), make(2, 4, 5, 6)
    rest = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True])
    yield sample(make(2, 3, 7, 8), make(4, 3, 3, 3), make(4), grad, weight, image, *rest)
    yield sample(make(2, 3, 7, 8), None, None, grad, weight, image, *rest[:-1], [True, False, True])
    yield sample(None, make(4, 3, 3, 3), None, grad, weight, image, *rest[:-1], [True, True, False])


def double_backward(*args: object) -> list[object]:
    """Compare only values: PyTorch's results are transposed views with other strides."""
    return [grad if grad is None else grad.contiguous() for grad in DOUBLE(*args)]


DOUBLE = aten._convolution_double_backward
LOOSE = (1e-4, 1e-3)
ROUGH = (5e-2, 3e-1)


def convolution(name: str, samples: object, call: object = None, **rest: object) -> Operator:
    return Operator(
        name, samples, FLOATS, call=call, method=False, tolerance=LOOSE, low_tolerance=ROUGH, **rest
    )


TABLE = [
    convolution("conv1d", lines, nn.conv1d),
    convolution("conv2d", convolutions, nn.conv2d),
    convolution("conv3d", volumes, nn.conv3d),
    convolution("conv_transpose1d", transposed(1), nn.conv_transpose1d),
    convolution("conv_transpose2d", transposed(2), nn.conv_transpose2d),
    convolution("conv_transpose3d", transposed(3), nn.conv_transpose3d),
    convolution("convolution", full_convolutions),
    convolution("convolution_backward", gradients, aten.convolution_backward),
    convolution("convolution_backward", nearby, aten.convolution_backward, variant="layouts"),
    convolution("_convolution", full(False), aten._convolution),
    convolution("_convolution", full(True), aten._convolution, variant="transposed"),
    convolution("_convolution_mode", modes, aten._convolution_mode),
    convolution("_convolution_double_backward", second_gradients, double_backward),
]
