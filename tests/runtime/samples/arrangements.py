"""Samples of operators that rearrange, stack, split and compare neighbors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import torch

from .model import ALL, FLOATS, INTS, LOW_FLOATS, REAL, Maker, Operator, Sample, sample
from .shapes import each, strided

ORDERED = ("bool", *REAL)
NUMBERS = (*REAL, "complex64", "complex128")


def sequences(*shapes: tuple[tuple[int, ...], ...]):
    """Return samples of one argument, a sequence of tensors of the given shapes."""

    def samples(make: Maker) -> Iterator[Sample]:
        for group in shapes:
            yield sample([make(*shape) for shape in group])

    return samples


def alone_and_together(*shapes: tuple[int, ...]):
    """Return each tensor, and all of them as a sequence."""

    def samples(make: Maker) -> Iterator[Sample]:
        for shape in shapes:
            yield sample(make(*shape))
        yield sample([make(*shape) for shape in shapes])

    return samples


def splits(make: Maker) -> Iterator[Sample]:
    yield sample(make(7, 3), 3)
    yield sample(make(2, 6), (1, 4), 1)
    yield sample(make(0, 2), 2)


def repeats(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), 2)
    yield sample(make(3, 4), 3, dim=1)
    yield sample(make(4, 3).t(), 2, dim=0)
    yield sample(make(3, 4), torch.tensor([1, 0, 2]), dim=0)
    yield sample(make(3, 4), torch.tensor([2]), dim=1)
    yield sample(make(3), torch.tensor([1, 2, 3]), output_size=6)
    yield sample(make(0), 2)
    yield sample(make(3), 0)
    yield sample(torch.tensor([2, 0, 1]))


def differences(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        if tensor.dim():
            yield sample(tensor)
            yield sample(tensor, 1, 0)
    yield sample(make(3, 6), 2)
    yield sample(make(3, 6), 0)
    yield sample(make(3), 5)
    yield sample(make(3, 4), 1, -1, make(3, 1), make(3, 2))
    yield sample(make(3, 4), 1, 0, append=make(1, 4))


def integrals(make: Maker) -> Iterator[Sample]:
    yield sample(make(5))
    yield sample(make(3, 5))
    yield sample(make(3, 5), dim=0)
    yield sample(make(3, 5), dx=2)
    yield sample(make(3, 5), make(5))
    yield sample(make(3, 5), make(3), dim=0)
    yield sample(make(3, 5), make(3, 5))


def crosses(make: Maker) -> Iterator[Sample]:
    yield sample(make(3), make(3), dim=0)
    yield sample(make(4, 3), make(4, 3), dim=-1)
    yield sample(make(3, 4), make(3, 1), dim=0)
    yield sample(make(3, 4).t(), make(4, 3), dim=1)
    yield sample(make(0, 3), make(0, 3), dim=1)


def grids(make: Maker) -> Iterator[Sample]:
    for indexing in ("ij", "xy"):
        yield sample([make(3), make(2)], indexing=indexing)
        yield sample([make(3), make(), make(2)], indexing=indexing)
        yield sample([make(2)], indexing=indexing)
        yield sample([make(0), make(2)], indexing=indexing)


def contractions(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4), make(4, 3, 5), [1, 2], [1, 0])
    yield sample(make(2, 3), make(3, 2), [1], [0])
    yield sample(make(2), make(3), [], [])
    yield sample(make(2, 1), make(3, 2), [1], [0])
    yield sample(make(3, 2).t(), make(3, 4), [1], [0])


def filled(tensor: torch.Tensor, *arguments: object) -> torch.Tensor:
    return tensor.clone().fill_diagonal_(*arguments)


def vectors(make: Maker) -> Iterator[Sample]:
    yield sample([make(3), make(2)])
    yield sample([make(2), make(3), make(2)])
    yield sample([make(4)])
    yield sample([make(0), make(2)])


def limits(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor, 1, 3)
    yield sample(make(4), None, 2)
    yield sample(make(4), max=2)
    yield sample(make(4, 5), make(5), make(5))


def deviations(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        if tensor.numel() > 1:
            yield sample(tensor)
            yield sample(tensor, 0)
    yield sample(make(3, 4, 5), (0, 2), correction=0, keepdim=True)
    yield sample(make(3, 4), 1, False)


PAIRS = (((3,), (2,)), ((), ()), ((4,),))
MATRICES = (((2, 3), (2, 4)), ((3,), (2,)))

TABLE = [
    Operator("diag", strided(((4,),), ((3,), 1), ((3, 4),), ((3, 4), -1), ((0,),)), ALL),
    Operator(
        "diag_embed",
        each(((3,),), ((2, 3),), ((2, 3), 1), ((2, 3), -1, 0, 2), ((2, 3), 0, 1, 0)),
        ALL,
    ),
    Operator("diagflat", strided(((2, 3),), ((3,), 2), ((),)), ALL),
    Operator(
        "fill_diagonal",
        each(((3, 4), 5), ((7, 3), 2, True), ((7, 3), 2), ((3, 3, 3), 1)),
        ALL,
        call=filled,
        method=False,
    ),
    Operator("atleast_1d", alone_and_together((), (3,), (2, 3)), ALL, method=False, view=True),
    Operator("atleast_2d", alone_and_together((), (3,), (2, 3)), ALL, method=False, view=True),
    Operator("atleast_3d", alone_and_together((), (3,), (2, 3), (2, 3, 4)), ALL, method=False),
    Operator("hstack", sequences(*PAIRS, *MATRICES[:1]), ALL, method=False),
    Operator("vstack", sequences(((3,), (2, 3)), ((), ())), ALL, method=False),
    Operator("row_stack", sequences(((3,), (2, 3))), ALL, method=False),
    Operator("dstack", sequences(((3,), (3,)), ((2, 3), (2, 3))), ALL, method=False),
    Operator("column_stack", sequences(((3,), (3, 2)), ((), ())), ALL, method=False),
    Operator("tensor_split", splits, ALL, view=True, meta=False),
    Operator("hsplit", each(((4,), 2), ((2, 6), 3), ((2, 6), (1, 3))), ALL, view=True),
    Operator("vsplit", each(((4, 2), 2), ((6, 2), (1, 3))), ALL, view=True),
    Operator("dsplit", each(((2, 2, 4), 2), ((1, 2, 6), (1, 3))), ALL, view=True),
    Operator("meshgrid", grids, ALL, method=False, view=True),
    Operator("cartesian_prod", vectors, ALL, call=lambda t: torch.cartesian_prod(*t), method=False),
    Operator("tile", strided(((2, 3), (2,)), ((2, 3), (2, 1, 2)), ((), (3,)), ((0,), (2,))), ALL),
    Operator("rot90", strided(*(((2, 3), k) for k in range(-1, 5)), ((2, 3, 4), 1, (2, 0))), ALL),
    Operator("fliplr", strided(((2, 3),)), ALL, reference=np.fliplr),
    Operator("flipud", strided(((2, 3),), ((3,),)), ALL, reference=np.flipud),
    Operator(
        "tensordot",
        contractions,
        (*FLOATS, "int64", "complex64"),
        call=torch._VF.tensordot,
        method=False,
    ),
    Operator("repeat_interleave", repeats, ALL, meta=False, method=False),
    Operator("diff", differences, ALL),
    Operator("trapezoid", integrals, (*FLOATS, "int64", "complex64"), method=False),
    Operator("trapz", integrals, FLOATS, method=False),
    Operator("cumulative_trapezoid", integrals, FLOATS, method=False),
    Operator("linalg_cross", crosses, INTS + FLOATS, call=torch.linalg.cross, method=False),
    Operator("cross", crosses, INTS + FLOATS),
    Operator("std_mean", deviations, FLOATS + LOW_FLOATS, low_tolerance=(5e-2, 1e-2), method=False),
    Operator("clip", limits, REAL, in_place=True, out=True),
]
