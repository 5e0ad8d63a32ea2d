"""Samples of views and of operators that move whole pieces: cat, flip, roll, repeat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import torch

from .model import ALL, COMPLEX, Maker, Operator, Sample, sample

SOME = ("bool", "uint8", "int64", "float16", "float32", "complex64")


def each(*cases):
    """Return samples from (shape, arguments...), with contiguous and transposed tensors."""

    def samples(make: Maker) -> Iterator[Sample]:
        for shape, *arguments in cases:
            yield sample(make(*shape), *arguments)

    return samples


def strided(*cases):
    """Like `each`, with tensors that are not contiguous."""

    def samples(make: Maker) -> Iterator[Sample]:
        yield from each(*cases)(make)
        for shape, *arguments in cases:
            if len(shape) > 1:
                yield sample(
                    make(*reversed(shape)).permute(*reversed(range(len(shape)))), *arguments
                )

    return samples


def view(name: str, samples, reference=None, **kwargs) -> Operator:
    return Operator(name, samples, SOME, reference=reference, view=True, **kwargs)


def move(name: str, samples, reference=None, **kwargs) -> Operator:
    return Operator(name, samples, ALL, reference=reference, **kwargs)


def pieces(make: Maker) -> Iterator[Sample]:
    yield sample((make(2, 3), make(4, 3)))
    yield sample((make(2, 3), make(2, 1)), 1)
    yield sample((make(2, 3), make(2, 3)), -1)
    yield sample((make(0), make(3), make(2)))
    yield sample((make(3, 2).t(), make(2, 5)), dim=1)
    yield sample((make(3), make(3, dtype="float64")))
    yield sample((make(3), make(2, dtype="int32")))
    yield sample((make(2, 3, 4, 5).permute(0, 2, 3, 1), make(2, 3, 4, 5).permute(0, 2, 3, 1)), 1)
    yield sample([make(1, 4)] * 30)


def stacks(make: Maker) -> Iterator[Sample]:
    for dim in (0, 1, -1):
        yield sample((make(2, 3), make(2, 3), make(3, 2).t()), dim)
    yield sample((make(), make()))
    yield sample((make(0, 2), make(0, 2)), 1)


def doubled(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 2))
    yield sample(make(4, 3, 2)[::2])


def expanded(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 1), make(3, 4))
    yield sample(make(4), make(2, 4))


def same_count(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), make(2, 6))
    yield sample(make(0, 2), make(2, 0))


def broadcasts(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 1), make(4), make(2, 1, 1))
    yield sample(make(2))


def typed(make: Maker) -> Iterator[Sample]:
    for dtype in ("uint8", "int64", "float16", "float64"):
        yield sample(make(2, 3), make(1, dtype=dtype))


VIEWS = [
    view(
        "view",
        each(((6,), (2, 3)), ((2, 3, 4), (-1, 4)), ((2, 3), 6), ((0, 3), (3, 0)), ((), (1, 1))),
        lambda x, s: x.reshape(s),
    ),
    view("view", each(((2, 4), torch.uint8), ((4,), torch.int16)), variant="dtype", meta=True),
    view(
        "reshape",
        strided(((6,), (2, 3)), ((4, 6), (3, 8)), ((4, 6), (-1,)), ((0, 3), (3, 0))),
        np.reshape,
        covers=("_reshape_alias",),
    ),
    view(
        "as_strided",
        each(((12,), (3, 2), (4, 1)), ((12,), (2, 2), (1, 1), 3), ((4,), (3, 4), (0, 1))),
    ),
    view("transpose", strided(((2, 3), 0, 1), ((2, 3, 4), -1, 0), ((), 0, 0)), None),
    view("t", strided(((2, 3),), ((4,),), ((),)), np.transpose),
    view("numpy_T", each(((2, 3),)), np.transpose, call=lambda x: x.T, method=False),
    view(
        "mT",
        each(((2, 3),), ((2, 3, 4),)),
        lambda x: np.swapaxes(x, -1, -2),
        call=lambda x: x.mT,
        method=False,
    ),
    view("permute", strided(((2, 3, 4), (2, 0, 1)), ((2, 3), (-1, 0)), ((), ())), np.transpose),
    view(
        "squeeze",
        strided(((2, 1, 3, 1),), ((2, 1, 3), 1), ((2, 1, 3), 0), ((1, 2, 1), (0, 2)), ((),)),
        None,
    ),
    view("unsqueeze", strided(((2, 3), 0), ((2, 3), -1), ((), 0)), np.expand_dims),
    view("expand", each(((3, 1), (3, 4)), ((3,), (2, -1)), ((), (2, 2)), ((1, 0), (4, 0))), None),
    view("expand_as", expanded, lambda a, b: np.broadcast_to(a, b.shape)),
    view("broadcast_to", each(((3, 1), (2, 3, 4)), ((), (2,))), np.broadcast_to),
    view("narrow", strided(((5, 3), 0, 1, 2), ((5, 3), 1, -2, 2), ((5,), 0, 5, 0)), None),
    view(
        "slice",
        strided(
            ((7,), 0, 1, 5, 2), ((3, 6), 1, None, -2, 1), ((4,), 0, 3, 1), ((4,), 0, -100, 100)
        ),
        call=torch.ops.aten.slice,
        method=False,
    ),
    view("select", strided(((5, 3), 0, 2), ((5, 3), 1, -1)), None),
    view("unbind", strided(((3, 2),), ((3, 2), 1)), None),
    view("split", each(((7, 2), 3), ((7, 2), (2, 5)), ((2, 6), 4, 1), ((0, 2), 3))),
    view("split_with_sizes", each(((7, 2), (3, 4)), ((2, 6), (1, 2, 3), 1))),
    view("chunk", each(((7, 2), 3), ((2, 6), 2, 1), ((5,), 9))),
    view("flatten", strided(((2, 3, 4),), ((2, 3, 4), 1), ((2, 3, 4), 0, 1), ((),))),
    view("unflatten", each(((6, 2), 0, (2, 3)), ((6, 2), 0, (-1, 3)), ((2, 8), -1, (2, 2, 2)))),
    view(
        "diagonal",
        strided(((4, 5),), ((4, 5), 1), ((4, 5), -2), ((2, 3, 4), 0, 1, 2), ((2, 3), 5)),
        None,
    ),
    view(
        "unfold",
        each(((9,), 0, 3, 2), ((4, 7), 1, 2, 1), ((), 0, 1, 1)),
        call=lambda x, *a: x.unfold(*a),
        method=False,
    ),
    view("detach", strided(((2, 3),), ((),)), lambda x: x),
    view("alias", strided(((2, 3),), ((),)), lambda x: x, call=torch.ops.aten.alias, method=False),
    view("view_as", same_count, None, call=lambda a, b: a.view_as(b), method=False),
    view("reshape_as", same_count, None, call=lambda a, b: a.reshape_as(b), method=False),
    view(
        "_unsafe_view",
        each(((2, 6), (3, 4))),
        np.reshape,
        call=torch.ops.aten._unsafe_view,
        method=False,
    ),
    view("lift_fresh", each(((2, 3),)), lambda x: x, call=torch.ops.aten.lift_fresh, method=False),
    Operator("view_as_real", doubled, COMPLEX, view=True, method=False),
    Operator("view_as_complex", doubled, ("float32", "float64"), view=True, method=False),
    Operator("broadcast_tensors", broadcasts, SOME, method=False, view=True),
]

MOVES = [
    move("cat", pieces, method=False, out=True),
    move("stack", stacks, method=False, out=True),
    move(
        "flip",
        strided(((3, 4), (0,)), ((3, 4), (0, 1)), ((2, 3, 4), (-1, 0)), ((5,), (0,)), ((0,), (0,))),
        np.flip,
    ),
    move(
        "roll",
        strided(((5,), 2), ((3, 4), 1, 0), ((3, 4), (1, -2), (0, 1)), ((3, 4), 5)),
        lambda x, s, d=None: np.roll(x, s, d),
    ),
    move(
        "repeat",
        each(((3,), (2,)), ((2, 3), (2, 1, 3)), ((1, 2), (0, 2)), ((), (4,))),
        np.tile,
        call=lambda x, r: x.repeat(r),
        method=False,
    ),
    move("clone", strided(((2, 3),), ((2, 3, 4),), ((),)), lambda x: x),
    move(
        "contiguous",
        strided(((2, 3),), ((2, 3, 4),)),
        lambda x: x,
        call=lambda x: x.contiguous(),
        method=False,
    ),
    move("type_as", typed, call=lambda a, b: a.type_as(b), method=False),
    move(
        "is_same_size",
        expanded,
        lambda a, b: a.shape == b.shape,
        call=lambda a, b: torch.ops.aten.is_same_size(a, b),
        method=False,
        meta=False,
    ),
]

TABLE = VIEWS + MOVES
