"""Samples of unary, binary and ternary operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import torch

from .model import (
    ALL,
    COMPLEX,
    FLOATS,
    INTS,
    LOW_FLOATS,
    REAL,
    Maker,
    Operator,
    Sample,
    sample,
    scipy_special,
)

INTEGRAL = ("bool", *INTS)
ANY_FLOAT = FLOATS + LOW_FLOATS


def unary(low: float = -4, high: float = 5, extremal: bool = True):
    def samples(make: Maker) -> Iterator[Sample]:
        for tensor in make.layouts(low=low, high=high):
            yield sample(tensor)
        if extremal and make.is_float:
            yield sample(make.extremal())

    return samples


def pairs(make: Maker, low: float, high: float) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    def tensor(*shape: int) -> torch.Tensor:
        return make(*shape, low=low, high=high)

    yield tensor(3), tensor(3)
    yield tensor(), tensor()
    yield tensor(4, 5), tensor(5)
    yield tensor(3, 1), tensor(1, 4)
    yield tensor(), tensor(2, 3)
    yield tensor(2, 3), tensor()
    yield tensor(0, 3), tensor(1, 3)
    yield tensor(5, 4).t(), tensor(4, 5)
    yield tensor(6, 8)[::2, ::2], tensor(4, 3).t()
    yield tensor(70), tensor(70)
    yield tensor(2, 3, 4), tensor(3, 1)


def binary(
    low: float = -4, high: float = 5, scalars: tuple[object, ...] = (2, 1.5), mixed: bool = True
):
    def samples(make: Maker) -> Iterator[Sample]:
        for left, right in pairs(make, low, high):
            yield sample(left, right)
        for scalar in scalars:
            yield sample(make(4, 5, low=low, high=high), scalar)
            yield sample(make(low=low, high=high), scalar)
        if mixed:
            for other in ("int32", "float32", "bool"):
                yield sample(make(2, 3, low=low, high=high), make(2, 3, low=1, high=4, dtype=other))
                yield sample(make(2, 3, low=low, high=high), make(low=1, high=4, dtype=other))

    return samples


def with_keywords(base, **kwargs):
    def samples(make: Maker) -> Iterator[Sample]:
        for each in base(make):
            yield Sample(each.args, {**each.kwargs, **kwargs})

    return samples


def both(*generators):
    def samples(make: Maker) -> Iterator[Sample]:
        for generator in generators:
            yield from generator(make)

    return samples


def tensors_only(make: Maker) -> Iterator[Sample]:
    for left, right in pairs(make, -4, 5):
        yield sample(left, right)


def clamps(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor, 1, 3)
    yield sample(make(4), None, 2)
    yield sample(make(4), 2)
    yield sample(make(4, 5), min=make(5), max=make(4, 1))
    yield sample(make(4, 5), min=make(5))
    yield sample(make(3), 3, 1)
    if make.is_float:
        yield sample(make.extremal(), -1.0, 1.0)


def bounds(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), 1)
    yield sample(make(4, 5), make(5))
    yield sample(make(), 2)


def lerps(make: Maker) -> Iterator[Sample]:
    for left, right in pairs(make, -4, 5):
        yield sample(left, right, 0.3)
        yield sample(left, right, 0.8)
    yield sample(make(4, 5), make(4, 5), make(5))


def fused(make: Maker) -> Iterator[Sample]:
    for left, right in pairs(make, 1, 5):
        yield sample(left, right, right)
    yield sample(make(4, 5), make(5, low=1, high=3), make(4, 1, low=1, high=3), value=2)


def wheres(make: Maker) -> Iterator[Sample]:
    for left, right in pairs(make, -4, 5):
        yield sample(
            make(*torch.broadcast_shapes(left.shape, right.shape), dtype="bool"), left, right
        )
    yield sample(make(3, 4, dtype="bool"), make(3, 1), 2)
    yield sample(make(3, 4, dtype="bool"), 1.5, make(4))
    yield sample(make(5, dtype="bool"), make(5), make(5, dtype="float64"))


def where_indices(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, dtype="bool"))
    yield sample(make(3, 4))


def powers(make: Maker) -> Iterator[Sample]:
    for left, right in pairs(make, 1, 4):
        yield sample(left, right)
    for exponent in (0, 1, 2, 3, 0.5, 2.5):
        yield sample(make(4, 5, low=1, high=4), exponent)
    yield sample(2, make(3, low=0, high=3))
    yield sample(1, make(3, low=0, high=3))
    if make.is_float:
        yield sample(make(7), -1)
        yield sample(make(7), -2)
        yield sample(make(7, low=0.5), -0.5)


def closeness(make: Maker) -> Iterator[Sample]:
    left = make(4, 5)
    yield sample(left, left.clone())
    yield sample(left, make(4, 5))
    yield sample(left, left + 1, rtol=0.0, atol=2.0)
    if make.is_float:
        yield sample(make.extremal(), make.extremal(), equal_nan=True)
        yield sample(make.extremal(), make.extremal())


def alphas(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), make(5), alpha=2)
    yield sample(make(2, 3), 3, alpha=2)


def copies(make: Maker) -> Iterator[Sample]:
    for dtype in ("bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64"):
        yield sample(make(3, 4), make(3, 4, low=0, high=5, dtype=dtype))
    yield sample(make(3, 4), make(4))
    yield sample(make(4, 3).t(), make(3, 4))
    yield sample(make(40, 70), make(70, 40).t())


def fills(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        if not (tensor.dim() == 2 and tensor.stride(1) == 0):
            yield sample(tensor, 1)
    yield sample(make(3), torch.tensor(2))


def row(name: str, samples, dtypes: tuple[str, ...], reference=None, **kwargs) -> Operator:
    settings = {"in_place": True, "out": True, **kwargs}
    return Operator(name, samples, dtypes, reference=reference, **settings)


UNARY = [
    row("abs", unary(), ALL[1:], np.abs, in_place=False),
    row("abs", unary(), REAL, np.abs, variant="real"),
    row("neg", unary(), ALL[1:], np.negative),
    row("exp", unary(), ALL, np.exp),
    row("expm1", unary(), ALL, np.expm1),
    row("log", unary(0.1), ALL, np.log),
    row("log1p", unary(-0.5), ALL, np.log1p),
    row("sqrt", unary(0), ALL, np.sqrt),
    row("rsqrt", unary(1), ALL, lambda x: 1 / np.sqrt(x)),
    row("sin", unary(), ALL, np.sin),
    row("cos", unary(), ALL, np.cos),
    row("tanh", unary(), ALL, np.tanh),
    row("sigmoid", unary(), ALL, lambda x: 1 / (1 + np.exp(-x))),
    row("erf", unary(), ("bool", *REAL), scipy_special("erf")),
    row("floor", unary(), REAL, np.floor),
    row("ceil", unary(), REAL, np.ceil),
    row("round", unary(), REAL, np.round),
    row(
        "round",
        with_keywords(unary(), decimals=2),
        FLOATS,
        lambda x, decimals: np.round(x, decimals),
        variant="decimals",
    ),
    row("trunc", unary(), REAL, np.trunc),
    row("sign", unary(), ("bool", *REAL)),
    row("reciprocal", unary(1), ALL, np.reciprocal),
    row(
        "relu", unary(), REAL, lambda x: np.where(x > 0, x, np.where(np.isnan(x), x, 0)), out=False
    ),
    row(
        "gelu",
        unary(extremal=False),
        ANY_FLOAT,
        lambda x: x * scipy_special("ndtr")(x),
        call=torch._C._nn.gelu,
        in_place=False,
        method=False,
    ),
    row(
        "gelu",
        with_keywords(unary(extremal=False), approximate="tanh"),
        ANY_FLOAT,
        call=torch._C._nn.gelu,
        in_place=False,
        method=False,
        variant="tanh",
    ),
    row("isnan", unary(), ALL, np.isnan, in_place=False, out=False),
    row("isinf", unary(), ALL, np.isinf, in_place=False, out=False),
    row("isfinite", unary(), ALL, np.isfinite, in_place=False, out=False),
    row("logical_not", unary(), ALL, np.logical_not),
    row("bitwise_not", unary(), INTEGRAL, np.invert),
    row("positive", unary(), ALL[1:], np.positive, in_place=False, out=False),
    row(
        "real",
        unary(extremal=False),
        COMPLEX,
        np.real,
        in_place=False,
        out=False,
        method=False,
        view=True,
    ),
    row(
        "imag",
        unary(extremal=False),
        COMPLEX,
        np.imag,
        in_place=False,
        out=False,
        method=False,
        view=True,
    ),
    row(
        "zero",
        unary(extremal=False),
        ALL,
        np.zeros_like,
        call=lambda x: x.clone().zero_(),
        in_place=False,
        out=False,
        method=False,
    ),
]

COMPARISONS = [
    row(name, binary(), ALL if name in ("eq", "ne") else ("bool", *REAL), getattr(np, full))
    for name, full in (
        ("eq", "equal"),
        ("ne", "not_equal"),
        ("lt", "less"),
        ("le", "less_equal"),
        ("gt", "greater"),
        ("ge", "greater_equal"),
    )
]

BINARY = [
    row("add", both(binary(), alphas), ALL),
    row("sub", both(binary(mixed=False), alphas), ALL[1:]),
    row("rsub", binary(mixed=False), ALL[1:], in_place=False, out=False, method=False),
    row("mul", binary(), ALL),
    row("div", binary(1), ALL),
    row("div", with_keywords(binary(1), rounding_mode="floor"), REAL, variant="floor"),
    row("div", with_keywords(binary(1), rounding_mode="trunc"), REAL, variant="trunc"),
    row("floor_divide", binary(1, mixed=False), REAL),
    row("remainder", binary(1), REAL),
    row("pow", powers, ALL[1:], method=False, in_place=False, out=True),
    row("pow", binary(1, 4, scalars=(2, 3, 0.5)), REAL, variant="method", in_place=True),
    row("maximum", tensors_only, ("bool", *REAL), np.maximum, in_place=False),
    row("minimum", tensors_only, ("bool", *REAL), np.minimum, in_place=False),
    row("logical_and", tensors_only, ALL, np.logical_and),
    row("logical_or", tensors_only, ALL, np.logical_or),
    row("logical_xor", tensors_only, ALL, np.logical_xor),
    row("bitwise_and", binary(scalars=(3,), mixed=False), INTEGRAL, np.bitwise_and),
    row("bitwise_or", binary(scalars=(3,), mixed=False), INTEGRAL, np.bitwise_or),
    row("bitwise_xor", binary(scalars=(3,), mixed=False), INTEGRAL, np.bitwise_xor),
    row(
        "__and__",
        binary(scalars=(3,), mixed=False),
        INTEGRAL,
        np.bitwise_and,
        in_place=False,
        out=False,
        covers=("__iand__",),
    ),
    row(
        "__or__",
        binary(scalars=(3,), mixed=False),
        INTEGRAL,
        np.bitwise_or,
        in_place=False,
        out=False,
        covers=("__ior__",),
    ),
    row(
        "__xor__",
        binary(scalars=(3,), mixed=False),
        INTEGRAL,
        np.bitwise_xor,
        in_place=False,
        out=False,
        covers=("__ixor__",),
    ),
    row("equal", tensors_only, ALL, in_place=False, out=False, meta=False),
    row("allclose", closeness, FLOATS, np.allclose, in_place=False, out=False, meta=False),
    row("isclose", closeness, FLOATS, np.isclose, in_place=False, out=False),
]

TERNARY = [
    row("where", wheres, ALL, in_place=False, method=False, out=False),
    row(
        "where",
        where_indices,
        ALL,
        in_place=False,
        method=False,
        out=False,
        meta=False,
        variant="indices",
    ),
    row("clamp", clamps, REAL, meta=True),
    row("clamp_min", bounds, REAL),
    row("clamp_max", bounds, REAL),
    row("lerp", lerps, FLOATS + LOW_FLOATS + COMPLEX),
    row("addcmul", fused, REAL + COMPLEX),
    row("addcdiv", fused, ANY_FLOAT + COMPLEX),
    row(
        "copy",
        copies,
        ALL,
        call=lambda a, b: a.clone().copy_(b),
        in_place=False,
        out=False,
        method=False,
        covers=("_copy_from",),
    ),
    row(
        "fill",
        fills,
        ALL,
        call=lambda a, b: a.clone().fill_(b),
        in_place=False,
        out=False,
        method=False,
    ),
]

TABLE = UNARY + COMPARISONS + BINARY + TERNARY
