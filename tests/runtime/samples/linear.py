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
    """Operands of the given shapes: contiguous, and with the last two dimensions transposed."""

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


def layer_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 8), (8,))
    yield sample(make(3, 8), (8,), make(8), make(8))
    yield sample(make(2, 3, 4), (3, 4), make(3, 4), make(3, 4), 1e-3)
    yield sample(make(8, 3).t(), (8,), make(8))
    yield sample(make(2, 100), (100,))
    yield sample(make(0, 4), (4,))


def native_layer_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 8), (8,), make(8), make(8), 1e-5)
    yield sample(make(3, 8), (8,), None, None, 1e-5)


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


SQUARE = ((3, 4), (4, 5))
LOOSE = (1e-4, 1e-4)
SUMS = (5e-2, 1e-2)

ALGEBRA = [
    Operator(
        "mm",
        products(
            SQUARE, ((8, 8), (8, 8)), ((0, 4), (4, 3)), ((3, 0), (0, 4)), ((70, 65), (65, 33))
        ),
        ANY,
        reference=np.matmul,
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
    Operator("layer_norm", layer_norms, ANY_FLOAT, call=nn.layer_norm, method=False),
    Operator("native_layer_norm", native_layer_norms, FLOATS, method=False),
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
    Operator("conv2d", convolutions, FLOATS, call=nn.conv2d, method=False, tolerance=LOOSE),
    Operator("convolution", full_convolutions, FLOATS, method=False, tolerance=LOOSE),
    Operator("max_pool2d", poolings, ANY_FLOAT, call=nn.max_pool2d, method=False),
    Operator(
        "max_pool2d_with_indices",
        poolings,
        FLOATS,
        call=torch._C._nn.max_pool2d_with_indices,
        method=False,
    ),
    Operator(
        "adaptive_max_pool2d", adaptive, FLOATS, call=torch._C._nn.adaptive_max_pool2d, method=False
    ),
]

TABLE = ALGEBRA + NETWORK
