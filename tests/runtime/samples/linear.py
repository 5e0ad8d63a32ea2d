"""Samples of linear algebra and of the neural-network operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import torch

from .model import ALL, COMPLEX, FLOATS, INTS, LOW_FLOATS, Maker, Operator, Sample, sample

ANY_FLOAT = FLOATS + LOW_FLOATS
ANY = INTS + ANY_FLOAT + COMPLEX
nn = torch.nn.functional


def products(*shapes: tuple[tuple[int, ...], ...], low: float = -3, high: float = 4):
    """Return operands of the given shapes, contiguous and with the last two dimensions transposed."""

    def samples(make: Maker) -> Iterator[Sample]:
        for operands in shapes:
            yield sample(*(make(*shape, low=low, high=high) for shape in operands))
            if all(len(shape) > 1 for shape in operands):
                turned = [shape[:-2] + shape[-1:] + shape[-2:-1] for shape in operands]
                yield sample(*(make(*s, low=low, high=high).transpose(-1, -2) for s in turned))

    return samples


def scaled(*shapes: tuple[tuple[int, ...], ...]):
    def samples(make: Maker) -> Iterator[Sample]:
        for each in products(*shapes)(make):
            yield each
            yield Sample(each.args, {"beta": 2, "alpha": 3})
            yield Sample(each.args, {"beta": 0})

    return samples


def equations(make: Maker) -> Iterator[Sample]:
    yield sample("ij,jk->ik", make(3, 4), make(4, 5))
    yield sample("ij->ji", make(3, 4))
    yield sample("ij->", make(3, 4))
    yield sample("ii->i", make(4, 4))
    yield sample("ii", make(4, 4))
    yield sample("i,j->ij", make(3), make(4))
    yield sample("bij,bjk->bik", make(2, 3, 4), make(2, 4, 5))
    yield sample("...ij,...jk", make(2, 3, 4), make(4, 5))
    yield sample("bhqd,bhkd->bhqk", make(2, 2, 3, 4), make(2, 2, 5, 4))
    yield sample("ij,jk,kl->il", make(2, 3), make(3, 4), make(4, 2))
    yield sample("ab,ab->a", make(3, 4), make(3, 4))


def linears(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), make(5, 4))
    yield sample(make(3, 4), make(5, 4), make(5))
    yield sample(make(2, 3, 4), make(5, 4), make(5))
    yield sample(make(4), make(5, 4), make(5))
    yield sample(make(0, 4), make(5, 4), make(5))


def embeddings(make: Maker) -> Iterator[Sample]:
    yield sample(make(10, 3), make.indices(4, high=10))
    yield sample(make(10, 3), make.indices(2, 5, high=10), 1)
    yield sample(make(10, 3), make.indices(0, high=10))
    yield sample(make(10, 3), make.indices(6, high=10).to(torch.int32))


def classes(reductions: tuple[str, ...] = ("none", "mean", "sum")):
    def samples(make: Maker) -> Iterator[Sample]:
        for reduction in reductions:
            yield sample(make(5, 4), make.indices(5, high=4), reduction=reduction)
            yield sample(
                make(5, 4), make.indices(5, high=4), make(4, low=0.5, high=2), reduction=reduction
            )
            yield sample(make(5, 4), make.indices(5, high=4), ignore_index=1, reduction=reduction)
            yield sample(make(2, 4, 3, 3), make.indices(2, 3, 3, high=4), reduction=reduction)
            yield sample(make(4), make.indices(high=4), reduction=reduction)

    return samples


def smoothed(make: Maker) -> Iterator[Sample]:
    yield from classes()(make)
    for reduction in ("none", "mean", "sum"):
        yield sample(make(5, 4), make.indices(5, high=4), label_smoothing=0.1, reduction=reduction)
        yield sample(make(5, 4), make(5, 4, low=0, high=1), reduction=reduction)
        yield sample(
            make(5, 4),
            make(5, 4, low=0, high=1),
            make(4, low=0.5, high=2),
            reduction=reduction,
            label_smoothing=0.2,
        )


def nll_codes(make: Maker) -> Iterator[Sample]:
    for reduction in (0, 1, 2):
        yield sample(make(5, 4), make.indices(5, high=4), make(4, low=0.5, high=2), reduction, -100)
        yield sample(make(5, 4), make.indices(5, high=4), None, reduction, 1)


def nll_codes_2d(make: Maker) -> Iterator[Sample]:
    for reduction in (0, 1, 2):
        yield sample(
            make(2, 4, 3, 3),
            make.indices(2, 3, 3, high=4),
            make(4, low=0.5, high=2),
            reduction,
            -100,
        )
        yield sample(make(2, 4, 3, 3), make.indices(2, 3, 3, high=4), None, reduction, 1)


SQUARE = ((3, 4), (4, 5))
SUMS = (5e-2, 1e-2)

ALGEBRA = [
    Operator(
        "mm",
        products(
            SQUARE, ((8, 8), (8, 8)), ((0, 4), (4, 3)), ((3, 0), (0, 4)), ((70, 65), (65, 33))
        ),
        ANY,
        reference=np.matmul,
        tolerance=(
            5e-6,
            5e-5,
        ),  # sums of 65 products up to 25, in a different order in each library
        low_tolerance=(1.6e-2, 1e-5),
        out=True,
    ),
    Operator(
        "bmm",
        products(((2, 3, 4), (2, 4, 5)), ((0, 3, 4), (0, 4, 2)), ((5, 20, 30), (5, 30, 10))),
        ANY,
        reference=np.matmul,
        out=True,
    ),
    Operator(
        "matmul",
        products(
            ((3,), (3,)),
            ((3, 4), (4,)),
            ((4,), (4, 5)),
            SQUARE,
            ((2, 3, 4), (4, 5)),
            ((2, 3, 4), (2, 4, 5)),
            ((2, 1, 3, 4), (5, 4, 2)),
            ((2, 3, 4), (4,)),
        ),
        ANY,
        reference=np.matmul,
    ),
    Operator(
        "mv",
        products(((3, 4), (4,)), ((0, 4), (4,)), ((50, 60), (60,))),
        ANY,
        reference=np.matmul,
        out=True,
    ),
    Operator("dot", products(((3,), (3,)), ((0,), (0,)), ((100,), (100,))), ANY, reference=np.dot),
    Operator(
        "vdot", products(((3,), (3,)), ((0,), (0,)), ((100,), (100,))), ANY, reference=np.vdot
    ),
    Operator("outer", products(((3,), (4,)), ((0,), (4,))), ALL, reference=np.outer, out=True),
    Operator("addmm", scaled(((3, 5), *SQUARE), ((5,), *SQUARE), ((), *SQUARE)), ANY, out=True),
    Operator("addmv", scaled(((3,), (3, 4), (4,)), ((), (3, 4), (4,))), ANY, out=True),
    Operator(
        "baddbmm",
        scaled(((2, 3, 5), (2, 3, 4), (2, 4, 5)), ((5,), (2, 3, 4), (2, 4, 5))),
        ANY,
        out=True,
    ),
    Operator("linear", linears, ANY_FLOAT, call=nn.linear, method=False),
    Operator("einsum", equations, FLOATS + COMPLEX + ("int64",), method=False),
]

NETWORK = [
    Operator("embedding", embeddings, FLOATS, call=torch.embedding, method=False),
    Operator(
        "nll_loss",
        classes(),
        ANY_FLOAT[:2],
        call=nn.nll_loss,
        method=False,
        low_tolerance=SUMS,
        covers=("nll_loss_nd",),
    ),
    Operator(
        "nll_loss",
        nll_codes,
        FLOATS,
        call=torch._C._nn.nll_loss,
        method=False,
        low_tolerance=SUMS,
        variant="codes",
    ),
    Operator(
        "nll_loss_forward",
        nll_codes,
        FLOATS,
        call=torch.ops.aten.nll_loss_forward,
        method=False,
        low_tolerance=SUMS,
    ),
    Operator(
        "nll_loss2d",
        nll_codes_2d,
        FLOATS,
        call=torch._C._nn.nll_loss2d,
        method=False,
        low_tolerance=SUMS,
    ),
    Operator(
        "nll_loss2d_forward",
        nll_codes_2d,
        FLOATS,
        call=torch.ops.aten.nll_loss2d_forward,
        method=False,
        low_tolerance=SUMS,
    ),
    Operator(
        "cross_entropy_loss",
        smoothed,
        FLOATS,
        call=nn.cross_entropy,
        method=False,
        low_tolerance=SUMS,
    ),
]

TABLE = ALGEBRA + NETWORK
