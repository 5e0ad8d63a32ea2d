"""Samples of Bessel and Airy functions and of orthogonal polynomials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .model import FLOATS, INTS, Maker, Operator, Sample, sample, scipy_special
from .pointwise import pairs, unary

special = torch.special
TOLERANCE = (2e-5, 2e-5)
DTYPES = ("bool", *INTS, *FLOATS)


def ends(low: float, high: float) -> Callable[[Maker], Iterator[Sample]]:
    """Return samples of both formulas, and of their borders, zeros and limits."""
    plain = unary(low, high, extremal=False)

    def samples(make: Maker) -> Iterator[Sample]:
        yield from plain(make)
        if make.is_float:
            yield sample(make(64, low=high, high=20 * high))
            special_values = [0.0, -0.0, 2.0, 8.0, -4.0, 7.5, 8.5, 1e-30, 1e4, float("nan")]
            yield sample(torch.tensor(special_values, dtype=getattr(torch, make.dtype)))

    return samples


def bessel(name: str, low: float, high: float, reference: str | None = None) -> Operator:
    return Operator(
        f"special_{name}",
        ends(low, high),
        DTYPES,
        getattr(special, name),
        reference=None if reference is None else scipy_special(reference),
        out=True,
        method=False,
        tolerance=TOLERANCE,
    )


def degrees(low: float, high: float) -> Callable[[Maker], Iterator[Sample]]:
    def samples(make: Maker) -> Iterator[Sample]:
        for x, _ in pairs(make, low, high):
            yield sample(x, 3)
        x = make(4, 9, low=low, high=high)
        first = 0 if make.dtype == "uint8" else -1
        yield sample(x, torch.arange(first, first + 9).to(x.dtype))
        yield sample(x.t(), torch.arange(4).to(x.dtype))
        yield sample(1.5, torch.arange(5).to(x.dtype))
        if make.is_float:
            yield sample(x, 2.75)
            border = torch.tensor([-1.0, 0.0, 0.5, 1.0], dtype=x.dtype)
            yield sample(border.unsqueeze(1), torch.tensor([0, 1, 6, 7, 30, 31], dtype=x.dtype))

    return samples


def polynomial(name: str, low: float = -1, high: float = 1, **kwargs: Any) -> Operator:
    return Operator(
        f"special_{name}",
        degrees(low, high),
        DTYPES,
        getattr(special, name),
        out=True,
        method=False,
        tolerance=(1e-4, 1e-4),
        **kwargs,
    )


TABLE = [
    bessel("airy_ai", -9, 9),
    bessel("bessel_j0", -9, 9, "j0"),
    bessel("bessel_j1", -9, 9, "j1"),
    bessel("bessel_y0", 0.1, 9, "y0"),
    bessel("bessel_y1", 0.1, 9, "y1"),
    bessel("modified_bessel_i0", -3, 3, "i0"),
    bessel("modified_bessel_i1", -3, 3, "i1"),
    bessel("modified_bessel_k0", 0.1, 4, "k0"),
    bessel("modified_bessel_k1", 0.1, 4, "k1"),
    bessel("scaled_modified_bessel_k0", 0.1, 4, "k0e"),
    bessel("scaled_modified_bessel_k1", 0.1, 4, "k1e"),
    bessel("spherical_bessel_j0", -9, 9),
    polynomial("chebyshev_polynomial_t"),
    polynomial("chebyshev_polynomial_u"),
    polynomial("chebyshev_polynomial_v"),
    polynomial("chebyshev_polynomial_w"),
    polynomial("hermite_polynomial_h", -2, 2),
    polynomial("hermite_polynomial_he", -2, 2),
    polynomial("laguerre_polynomial_l", 0, 4),
    polynomial("legendre_polynomial_p"),
    polynomial("shifted_chebyshev_polynomial_t", 0, 1),
    polynomial("shifted_chebyshev_polynomial_u", 0, 1),
    polynomial("shifted_chebyshev_polynomial_v", 0, 1),
    polynomial("shifted_chebyshev_polynomial_w", 0, 1),
]
