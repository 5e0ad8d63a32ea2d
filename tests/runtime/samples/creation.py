"""Samples of factories, conversions, random numbers and queries about a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import torch

from .model import ALL, FLOATS, LOW_FLOATS, REAL, Maker, Operator, Sample, sample

ANY_FLOAT = FLOATS + LOW_FLOATS
SHAPES = ((), (3,), (2, 3), (0, 4))


def shaped(*before: Any, **kwargs: Any):
    """Return samples with a shape, dtype= and the given arguments."""

    def samples(make: Maker) -> Iterator[Sample]:
        for shape in SHAPES:
            yield sample(shape, *before, dtype=getattr(torch, make.dtype), **kwargs)

    return samples


def like(*before: Any):
    def samples(make: Maker) -> Iterator[Sample]:
        for tensor in make.layouts():
            yield sample(tensor, *before)
        yield sample(make(2, 3), *before, dtype=torch.float64)

    return samples


def new(*cases: tuple[Any, ...]):
    def samples(make: Maker) -> Iterator[Sample]:
        for case in cases:
            yield sample(make(2), *case)
            yield sample(make(2), *case, dtype=torch.int64)

    return samples


def typed(*cases: tuple[Any, ...]):
    def samples(make: Maker) -> Iterator[Sample]:
        for case in cases:
            yield sample(*case, dtype=getattr(torch, make.dtype))

    return samples


def untyped(*cases: tuple[Any, ...]):
    def samples(make: Maker) -> Iterator[Sample]:
        for case in cases:
            yield sample(*case)

    return samples


def triangles(make: Maker) -> Iterator[Sample]:
    for diagonal in (-2, 0, 1, 9):
        yield sample(make(4, 5), diagonal)
        yield sample(make(2, 4, 3).transpose(1, 2), diagonal)
    yield sample(make(0, 3))


def conversions(make: Maker) -> Iterator[Sample]:
    for dtype in ALL:
        yield sample(make(3, 4, low=0), getattr(torch, dtype))
    yield sample(make(4, 3).t(), torch.float64)


def metadata(name: str) -> Callable[[torch.Tensor], Any]:
    return lambda tensor, *arguments: getattr(tensor, name)(*arguments)


def seeded(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Seed the generator before each call, so that the random numbers can be compared."""

    def call(*args: Any, **kwargs: Any) -> torch.Tensor:
        torch.manual_seed(1234)
        return function(*args, **kwargs)

    return call


def in_place(name: str) -> Callable[..., torch.Tensor]:
    return seeded(lambda tensor, *args, **kwargs: getattr(tensor.clone(), name)(*args, **kwargs))


def streams(*before: Any, **kwargs: Any):
    """Return sizes on both sides of the thresholds of the generators' vectorised paths."""

    def samples(make: Maker) -> Iterator[Sample]:
        for size in (1, 5, 15, 16, 17, 40, 1000):
            yield sample(*before, (size,), dtype=getattr(torch, make.dtype), **kwargs)

    return samples


def refilled(*cases: tuple[Any, ...]):
    def samples(make: Maker) -> Iterator[Sample]:
        for case in cases:
            for size in (1, 15, 16, 40, 333):
                yield sample(make(size), *case)
            yield sample(make(5, 7).t(), *case)

    return samples


def permutations(make: Maker) -> Iterator[Sample]:
    for size in (0, 1, 10, 300):
        yield sample(size)


def probabilities(make: Maker) -> Iterator[Sample]:
    yield sample(make(40, low=0, high=1))
    yield sample(make(6, 8, low=0, high=1).t())


def weights(make: Maker) -> Iterator[Sample]:
    yield sample(make(10, low=0.1, high=1), 3)
    yield sample(make(4, 10, low=0.1, high=1), 5, True)
    yield sample(make(4, 10, low=0.1, high=1), 10)


def one(make: Maker) -> Iterator[Sample]:
    yield sample(make())
    yield sample(make(1, 1))


def any_tensor(make: Maker) -> Iterator[Sample]:
    yield from (sample(tensor) for tensor in make.layouts())


def dimensioned(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3), 1)
    yield sample(make(2, 3), -2)


def resized(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3), (3, 2))
    yield sample(make(2, 3), (2,))


def mixed_types(make: Maker) -> Iterator[Sample]:
    for other in ALL:
        yield sample(make(2), make(3, dtype=other))
        yield sample(make(2), make(dtype=other))
    for number in (1, 1.5, True):
        yield sample(make(2), number)
        yield sample(number, make(2))


def type_pairs(make: Maker) -> Iterator[Sample]:
    for other in ALL:
        yield sample(getattr(torch, make.dtype), getattr(torch, other))


def factory(name: str, samples, reference=None, **kwargs: Any) -> Operator:
    return Operator(
        name, samples, kwargs.pop("dtypes", ALL), reference=None, method=False, meta=False, **kwargs
    )


def query(name: str, samples, **kwargs: Any) -> Operator:
    call = kwargs.pop("call", metadata(name))
    return Operator(name, samples, ALL, call=call, method=False, meta=False, **kwargs)


def shape_only(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return everything but the values, for uninitialised memory."""
    return lambda *args, **kwargs: function(*args, **kwargs).zero_()


FACTORIES = [
    factory("empty", shaped(), call=shape_only(torch.empty)),
    factory("empty_like", like(), call=shape_only(torch.empty_like)),
    factory(
        "empty_strided", typed(((2, 3), (1, 2)), ((2,), (4,))), call=shape_only(torch.empty_strided)
    ),
    factory("zeros", shaped()),
    factory("ones", shaped()),
    factory("full", shaped(3)),
    factory(
        "full",
        untyped(((2,), 3), ((2,), 1.5), ((), True), ((2,), 1 + 2j)),
        dtypes=("float32",),
        variant="inferred",
    ),
    factory("zeros_like", like()),
    factory("ones_like", like()),
    factory("full_like", like(2)),
    factory("new_empty", new(((2, 3),)), call=shape_only(lambda x, *a, **k: x.new_empty(*a, **k))),
    factory(
        "new_empty_strided",
        new(((2, 3), (1, 2))),
        call=shape_only(lambda x, *a, **k: x.new_empty_strided(*a, **k)),
    ),
    factory("new_zeros", new(((2, 3),)), call=lambda x, *a, **k: x.new_zeros(*a, **k)),
    factory("new_ones", new(((2, 3),)), call=lambda x, *a, **k: x.new_ones(*a, **k)),
    factory("new_full", new(((2, 3), 4)), call=lambda x, *a, **k: x.new_full(*a, **k)),
    factory("scalar_tensor", typed((1,), (3,))),
    factory("arange", typed((5,), (2, 9), (2, 9, 3), (9, 2, -2), (0,)), dtypes=REAL),
    factory(
        "arange",
        untyped((5,), (1.0, 3.0, 0.25), (0, 1, 0.1), (5.5,)),
        dtypes=("float32",),
        variant="inferred",
    ),
    factory("linspace", typed((0, 10, 5), (3, -3, 7), (1, 2, 1), (1, 2, 0)), dtypes=REAL),
    factory("eye", typed((3,), (2, 4), (0,))),
    Operator(
        "tril", triangles, ALL, reference=lambda x, k=0: np.tril(x, k), in_place=True, out=True
    ),
    Operator(
        "triu", triangles, ALL, reference=lambda x, k=0: np.triu(x, k), in_place=True, out=True
    ),
]

CONVERSIONS = [
    Operator("to", conversions, ALL, call=lambda x, d: x.to(d), method=False, covers=("_to_copy",)),
    query("item", one),
    query("_local_scalar_dense", one, call=lambda x: torch.ops.aten._local_scalar_dense(x)),
    query("resize", resized, call=lambda x, size: x.clone().resize_(size)),
    query("set", resized, call=lambda x, size: x.new_empty(0).set_(x)),
]

RANDOM = [
    factory("rand", streams(), call=seeded(torch.rand), dtypes=ANY_FLOAT, random=True),
    factory(
        "randn",
        streams(),
        call=seeded(torch.randn),
        dtypes=ANY_FLOAT,
        random=True,
        tolerance=(1e-5, 1e-6),
    ),
    factory("randint", streams(2, 100), call=seeded(torch.randint), dtypes=REAL, random=True),
    factory("rand_like", like(), call=seeded(torch.rand_like), dtypes=ANY_FLOAT, random=True),
    factory(
        "randn_like",
        like(),
        call=seeded(torch.randn_like),
        dtypes=ANY_FLOAT,
        random=True,
        tolerance=(1e-5, 1e-6),
    ),
    factory("randint_like", like(50), call=seeded(torch.randint_like), dtypes=REAL, random=True),
    factory("randperm", permutations, call=seeded(torch.randperm), dtypes=("int64",), random=True),
    factory(
        "normal",
        refilled((), (1.0, 2.0)),
        call=in_place("normal_"),
        dtypes=ANY_FLOAT,
        random=True,
        tolerance=(1e-5, 1e-6),
    ),
    factory(
        "uniform",
        refilled((), (1.0, 2.0)),
        call=in_place("uniform_"),
        dtypes=ANY_FLOAT,
        random=True,
    ),
    factory(
        "random", refilled((), (20,), (3, 90)), call=in_place("random_"), dtypes=REAL, random=True
    ),
    factory(
        "bernoulli", refilled((), (0.3,)), call=in_place("bernoulli_"), dtypes=REAL, random=True
    ),
    factory(
        "bernoulli",
        probabilities,
        call=seeded(torch.bernoulli),
        dtypes=ANY_FLOAT,
        random=True,
        variant="tensor",
    ),
    factory("multinomial", weights, call=seeded(torch.multinomial), dtypes=ANY_FLOAT, random=True),
]

QUERIES = [
    query("size", dimensioned),
    query("stride", dimensioned),
    query("dim", any_tensor),
    query("numel", any_tensor),
    query("is_floating_point", one),
    query("is_complex", one),
    query("is_signed", one),
    query("is_nonzero", one),
    query("result_type", mixed_types, call=lambda *a: str(torch.result_type(*a))),
    query("can_cast", type_pairs, call=torch.can_cast),
    query("promote_types", type_pairs, call=lambda *a: str(torch.promote_types(*a))),
]

TABLE = FACTORIES + CONVERSIONS + RANDOM + QUERIES
