"""Computes the Chebyshev series of ATen/cpu/vec/vec_special.h.

A series stands for a function on an interval that is mapped to [-1, 1]. Coefficients come lowest
first, with the first one halved, and end where they no longer change a double.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

Real = Any  # mpmath.mpf; the package has no annotations
Function = Callable[[Real], Real]

mp.mp.dps = 40


def series(function: Function, nodes: int = 48) -> list[float]:
    """Return the coefficients of a function on [-1, 1]."""
    angles = [mp.pi * (2 * i + 1) / (2 * nodes) for i in range(nodes)]
    values = [function(mp.cos(angle)) for angle in angles]
    result = []
    for k in range(nodes):
        total = sum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True))
        result.append(float(2 * total / nodes))
    result[0] /= 2
    while abs(result[-1]) < 2.0**-57 * abs(result[0]):
        result.pop()
    return result


def near(order: int) -> Function:
    """Evaluate exp(-x) I(x) / x^order for t = x / 4 - 1, where x is at most 8."""

    def function(t: Real) -> Real:
        x = 4 * (t + 1)
        if x == 0:
            return mp.mpf(1) / 2**order
        return mp.exp(-x) * mp.besseli(order, x) / x**order

    return function


def far(order: int) -> Function:
    """Evaluate sqrt(x) exp(-x) I(x) for t = 16 / x - 1, where x is at least 8."""

    def function(t: Real) -> Real:
        if t <= -1:
            return 1 / mp.sqrt(2 * mp.pi)
        x = 16 / (t + 1)
        return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)

    return function


def main() -> None:
    """Print the four series."""
    for name, function in (
        ("kNear0", near(0)),
        ("kFar0", far(0)),
        ("kNear1", near(1)),
        ("kFar1", far(1)),
    ):
        numbers = series(function)
        print(f"constexpr double {name}[] = {{")
        print("    " + ", ".join(number.hex() for number in numbers) + "};")


if __name__ == "__main__":
    main()
