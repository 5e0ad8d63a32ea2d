"""Samples of special functions, and of draws that depend on them."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .creation import in_place, seeded
from .model import FLOATS, LOW_FLOATS, REAL, Maker, Operator, Sample, sample, scipy_special
from .pointwise import pairs, unary

ANY_FLOAT = FLOATS + LOW_FLOATS
LOOSE = (2e-5, 2e-6)
LOW = (2e-2, 1e-2)
special = torch.special


def function(name: str, low: float, high: float, dtypes=("bool", *REAL), **kwargs) -> Operator:
    samples = unary(low, high, extremal=kwargs.pop("extremal", True))
    kwargs = {"in_place": True, "out": True, "tolerance": LOOSE, "low_tolerance": LOW, **kwargs}
    return Operator(name, samples, dtypes, **kwargs)


def of_special(name: str, low: float, high: float, **kwargs) -> Operator:
    call = getattr(special, name)
    reference = scipy_special(name)
    settings = {"call": call, "reference": reference, "method": False, "in_place": False}
    return function(f"special_{name}", low, high, **settings, **kwargs)


def orders(make: Maker) -> Iterator[Sample]:
    for n in (0, 1, 2, 5):
        yield sample(n, make(4, 5, low=0.5, high=6))
        yield sample(n, make(low=0.5, high=6))
        if make.is_float:
            yield sample(n, make(5, 4, low=-3.9, high=-3.1).t())


def dimensions(make: Maker) -> Iterator[Sample]:
    for p in (1, 2, 4):
        yield sample(make(4, 5, low=2, high=9), p)
        yield sample(make(low=2, high=9), p)


def incomplete(make: Maker) -> Iterator[Sample]:
    for a, x in pairs(make, 0.1, 9):
        yield sample(a, x)
    if make.is_float:
        yield sample(make(9, low=90, high=200), make(9, low=90, high=200))
        ends = torch.tensor([0.0, 0.0, 1.0, 1.0, -1.0, 1.0], dtype=getattr(torch, make.dtype))
        others = torch.tensor([0.0, 1.0, 0.0, float("inf"), 1.0, -1.0], dtype=ends.dtype)
        yield sample(ends, others)


def products(make: Maker) -> Iterator[Sample]:
    for x, y in pairs(make, 0, 5):
        yield sample(x, y)
    yield sample(make(4, 5, low=0), 2.5)
    yield sample(1.5, make(4, low=0))
    if make.is_float:
        yield sample(make.extremal(), make.extremal().flip(0))


def zetas(make: Maker) -> Iterator[Sample]:
    for s, q in pairs(make, 1.5, 9):
        yield sample(s, q)
    yield sample(make(4, low=2, high=5), 2.5)
    yield sample(2.5, make(4, low=1, high=9))


def positive(low: float, high: float):
    def samples(make: Maker) -> Iterator[Sample]:
        yield sample(make(4, 5, low=low, high=high))
        yield sample(make(5, 4, low=low, high=high).t())
        yield sample(make(low=low, high=high))
        yield sample(make(0))

    return samples


def draws_and_means(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5, low=0.2, high=9), make(4, 5, low=0.5, high=6))
    yield sample(make(low=0.2, high=9), make(low=0.5, high=6))


def shares(make: Maker) -> Iterator[Sample]:
    x = make(4, 5, low=0.05, high=0.95)
    alpha = make(4, 5, low=0.5, high=6)
    yield sample(x, alpha, alpha + make(4, 5, low=0.5, high=6))


def trials(make: Maker) -> Iterator[Sample]:
    count = make(4, 5, low=0, high=90).floor()
    yield sample(count, make(4, 5, low=0, high=1))
    yield sample(count, make(5, low=0, high=1))
    yield sample(make(4, low=0, high=9).floor(), make(low=0, high=1))


def fills(*arguments: tuple[float, ...]):
    def samples(make: Maker) -> Iterator[Sample]:
        for each in arguments:
            yield sample(make(4, 5), *each)
            yield sample(make(5, 4).t(), *each)
            yield sample(make(), *each)

    return samples


def draw(name: str, samples, **kwargs) -> Operator:
    settings = {"random": True, "method": False, "meta": False, "tolerance": LOOSE, **kwargs}
    return Operator(name, samples, settings.pop("dtypes", ANY_FLOAT), **settings)


TABLE = [
    function("lgamma", 0.1, 9),
    function("digamma", 0.5, 9, reference=scipy_special("psi"), extremal=False),
    function("i0", -9, 12, reference=scipy_special("i0"), extremal=False),
    function("sinc", -4, 5, extremal=False),
    Operator(
        "polygamma", orders, ANY_FLOAT, method=False, out=True, tolerance=LOOSE, low_tolerance=LOW
    ),
    Operator("mvlgamma", dimensions, REAL, out=True, tolerance=LOOSE, low_tolerance=LOW),
    *(
        Operator(
            name,
            incomplete,
            ANY_FLOAT,
            in_place=True,
            out=True,
            reference=scipy_special(reference),
            tolerance=(1e-4, 1e-6),
            low_tolerance=LOW,
        )
        for name, reference in (("igamma", "gammainc"), ("igammac", "gammaincc"))
    ),
    of_special("i0e", -9, 20, extremal=False),
    of_special("i1", -9, 12, extremal=False),
    of_special("i1e", -9, 20, extremal=False),
    of_special("ndtr", -6, 6),
    of_special("ndtri", 0.001, 0.999),
    of_special("log_ndtr", -20, 6),
    of_special("entr", 0, 9),
    of_special("erfcx", -3, 30, extremal=False),
    *(
        Operator(
            f"special_{name}",
            samples,
            ("bool", *REAL),
            getattr(special, name),
            out=True,
            method=False,
            tolerance=LOOSE,
            low_tolerance=LOW,
        )
        for name, samples in (("xlog1py", products), ("zeta", zetas))
    ),
    draw("_standard_gamma", positive(0.2, 9), call=seeded(torch._standard_gamma)),
    draw("_sample_dirichlet", positive(0.2, 9), call=seeded(torch._sample_dirichlet)),
    draw("poisson", positive(0, 40), call=seeded(torch.poisson)),
    draw("binomial", trials, call=seeded(torch.binomial), dtypes=FLOATS),
    draw("cauchy", fills((), (1.0, 2.0)), call=in_place("cauchy_")),
    draw("log_normal", fills((), (0.5, 0.25)), call=in_place("log_normal_")),
    draw("geometric", fills((0.3,), (0.05,)), call=in_place("geometric_"), dtypes=REAL),
    # PyTorch approximates both by formulas in single precision.
    Operator(
        "_standard_gamma_grad",
        draws_and_means,
        FLOATS,
        torch._standard_gamma_grad,
        method=False,
        tolerance=(2e-3, 1e-4),
    ),
    Operator(
        "_dirichlet_grad",
        shares,
        FLOATS,
        torch._dirichlet_grad,
        method=False,
        tolerance=(5e-3, 1e-3),
    ),
]
