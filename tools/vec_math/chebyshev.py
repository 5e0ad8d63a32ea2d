"""Computes the series of ATen/native/BesselSeries.h, and of vec_gamma.h and vec_normal.h in ATen/cpu/vec.

A series stands for a function on an interval that is mapped to [-1, 1]. Coefficients come lowest
first, with the first one halved, and end where they no longer change a double. Those of the last
two files are of powers; the short ones suffice for floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

Real = Any  # mpmath.mpf; the package has no annotations
Function = Callable[[Real], Real]

mp.mp.dps = 40


def chebyshev(function: Function, nodes: int, least: Real) -> list[Real]:
    """Return the coefficients of a function on [-1, 1], without small ones at the end."""
    angles = [mp.pi * (2 * i + 1) / (2 * nodes) for i in range(nodes)]
    values = [function(mp.cos(angle)) for angle in angles]
    result = []
    for k in range(nodes):
        total = sum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True))
        result.append(2 * total / nodes)
    result[0] /= 2
    while abs(result[-1]) < least * max(map(abs, result)):
        result.pop()
    return result


def series(function: Function) -> list[float]:
    """Return the coefficients of a function on [-1, 1]."""
    return list(map(float, chebyshev(function, 48, mp.mpf(2) ** -57)))


def powers(function: Function, bits: int) -> list[float]:
    """Return the coefficients of the powers of x, from those of Chebyshev's polynomials."""
    coefficients = chebyshev(function, 56, mp.mpf(2) ** -bits)
    result = [mp.mpf(0)] * len(coefficients)
    before, current = [mp.mpf(0)], [mp.mpf(1)]
    for k, coefficient in enumerate(coefficients):
        for i, factor in enumerate(current):
            result[i] += coefficient * factor
        following = [mp.mpf(0), *((2 if k else 1) * factor for factor in current)]
        for i, factor in enumerate(before if k else []):
            following[i] -= factor
        before, current = current, following
    return list(map(float, result))


def between(low: float, high: float, function: Function) -> Function:
    """Map [-1, 1] to an interval."""
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    return lambda t: function(middle + half * t)


def log_gamma_slope(t: Real) -> Real:
    """Evaluate lgamma(2 + t) / t."""
    return 1 - mp.euler if abs(t) < mp.mpf(10) ** -25 else mp.loggamma(2 + t) / t


def erfinv_slope(w: Real) -> Real:
    """Evaluate erfinv(y) / y for w = -log(1 - y^2), by Newton's method for log(erfc)."""
    if w < mp.mpf(10) ** -20:
        return mp.sqrt(mp.pi) / 2
    y = mp.sqrt(-mp.expm1(-w))
    target = mp.log(mp.exp(-w) / (1 + y))
    x = y * mp.sqrt(mp.pi) / 2 if w < 1 else mp.sqrt(w) - mp.mpf("0.3")
    for _ in range(60):
        scaled = mp.erfc(x)
        step = (mp.log(scaled) - target) * scaled * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) < mp.mpf(10) ** -38 * abs(x):
            break
    return x / y


def scaled_erfc(t: Real) -> Real:
    """Evaluate (1 + 2 x) exp(x^2) erfc(x) for t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    if x < 100:
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    term = total = mp.mpf(1)
    for k in range(1, 12):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return (1 + 2 * x) * total / (x * mp.sqrt(mp.pi))


def near(order: int) -> Function:
    """Evaluate exp(-x) I(x) (1 + 1 / x)^order for t = x / 4 - 1, where x is at most 8."""

    def function(t: Real) -> Real:
        x = 4 * (t + 1)
        if x == 0:
            return mp.mpf(1) / 2**order
        return mp.exp(-x) * mp.besseli(order, x) * (1 + 1 / x) ** order

    return function


def far(order: int) -> Function:
    """Evaluate sqrt(x) exp(-x) I(x) for t = 16 / x - 1, where x is at least 8."""

    def function(t: Real) -> Real:
        if t <= -1:
            return 1 / mp.sqrt(2 * mp.pi)
        x = 16 / (t + 1)
        return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)

    return function


def show(name: str, numbers: list[float]) -> None:
    """Print a table in C++."""
    print(f"constexpr double {name}[] = {{")
    print("    " + ", ".join(number.hex() for number in numbers) + "};")


def main() -> None:
    """Print all series."""
    for name, function in (
        ("kNear0", near(0)),
        ("kFar0", far(0)),
        ("kNear1", near(1)),
        ("kFar1", far(1)),
    ):
        show(name, series(function))
    show("kLgamma", powers(between(-0.5, 0.5, log_gamma_slope), 55))
    for name, function in (
        ("kErfinvNear", between(0, 6.25, erfinv_slope)),
        ("kErfinvMiddle", between(2.5, 4, lambda s: erfinv_slope(s * s))),
        ("kErfinvTail", between(4, 6.125, lambda s: erfinv_slope(s * s))),
        ("kErfcx", scaled_erfc),
    ):
        show(name, powers(function, 55))
        show(f"{name}Short", powers(function, 29))


if __name__ == "__main__":
    main()
