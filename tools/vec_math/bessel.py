"""Computes the polynomials of ATen/native/BesselTables.h: `python -m tools.vec_math.bessel`.

Each row is the smooth part of a Bessel or Airy function on an interval that is mapped to [-1, 1];
ATen/native/BesselFormulas.h says how the functions follow from them. Coefficients are of the powers
of the mapped variable, lowest first: for doubles, and as many as floats need.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath as mp

from tools.vec_math.chebyshev import Function, Real, powers

mp.mp.dps = 40

NEAR = mp.mpf(8)  # j and y change from polynomials to modulus and phase
SMALL = mp.mpf(2)  # k changes from its logarithm to exp(-x) / sqrt(x)
AIRY_LOW, AIRY_HIGH = mp.mpf(-4), mp.mpf(2)


@dataclass(frozen=True)
class Row:
    """One polynomial: its name, and the function on [-1, 1] that it stands for."""

    name: str
    function: Function


def zero(order: int, index: int) -> Real:
    """Return a zero of J."""
    return mp.besseljzero(order, index)


def near_j(order: int) -> Function:
    """Return J(x) / x^order without its zeros below 8, in x^2 / 32 - 1."""

    def function(s: Real) -> Real:
        x = mp.sqrt((s + 1) / 2) * NEAR
        if x == 0:
            x = mp.mpf(10) ** -30
        first, second = zero(order, 1), zero(order, 2)
        return mp.besselj(order, x) / (x**order * (x**2 - first**2) * (x**2 - second**2))

    return function


def near_y(order: int) -> Function:
    """Return what the logarithm and the pole leave of Y(x) / x^order, in x^2 / 32 - 1."""

    def function(s: Real) -> Real:
        x = mp.sqrt((s + 1) / 2) * NEAR
        pole = 2 / (mp.pi * x) if order else mp.mpf(0)
        rest = mp.bessely(order, x) - 2 / mp.pi * mp.log(x) * mp.besselj(order, x) + pole
        return rest / x**order

    return function


def phase(order: int, x: Real) -> tuple[Real, Real]:
    """Return P and Q of J = sqrt(2 / (pi x)) (P cos(c) - Q sin(c)), Y = ... (P sin(c) + Q cos(c))."""
    angle = x - (2 * order + 1) * mp.pi / 4
    j, y = mp.besselj(order, x), mp.bessely(order, x)
    root = mp.sqrt(mp.pi * x / 2)
    sine, cosine = mp.sin(angle), mp.cos(angle)
    return root * (j * cosine + y * sine), root * (y * cosine - j * sine)


def far_p(order: int) -> Function:
    """Return P in 2 (8 / x)^2 - 1."""

    def function(s: Real) -> Real:
        x = NEAR / mp.sqrt((s + 1) / 2)
        return phase(order, x)[0]

    return function


def far_q(order: int) -> Function:
    """Return Q x / 8 in 2 (8 / x)^2 - 1."""

    def function(s: Real) -> Real:
        x = NEAR / mp.sqrt((s + 1) / 2)
        return phase(order, x)[1] * x / NEAR

    return function


def near_i(order: int) -> Function:
    """Return I(x) / x^order in x^2 / 2 - 1."""

    def function(s: Real) -> Real:
        x = mp.sqrt((s + 1) / 2) * SMALL
        return mp.besseli(order, x) / x**order

    return function


def near_k(order: int) -> Function:
    """Return what the logarithm and the pole leave of K(x) / x^order, in x^2 / 2 - 1."""

    def function(s: Real) -> Real:
        x = mp.sqrt((s + 1) / 2) * SMALL
        sign = -1 if order else 1
        pole = 1 / x if order else mp.mpf(0)
        rest = mp.besselk(order, x) + sign * mp.log(x) * mp.besseli(order, x) - pole
        return rest / x**order

    return function


def far_k(order: int) -> Function:
    """Return sqrt(x) exp(x) K(x) in 4 / x - 1."""

    def function(s: Real) -> Real:
        x = 2 * SMALL / (s + 1)
        return mp.sqrt(x) * mp.exp(x) * mp.besselk(order, x)

    return function


def airy_middle(s: Real) -> Real:
    """Return Ai(x) / (x - its first zero), in (x + 1) / 3."""
    x = (AIRY_HIGH - AIRY_LOW) / 2 * s + (AIRY_HIGH + AIRY_LOW) / 2
    return mp.airyai(x) / (x - mp.airyaizero(1))


def airy_angle(x: Real) -> Real:
    """Return 2/3 |x|^(3/2)."""
    return 2 * abs(x) ** mp.mpf("1.5") / 3


def airy_falling(s: Real) -> Real:
    """Return Ai(x) x^(1/4) exp(z), z = 2/3 x^(3/2), in 2 z(2) / z - 1."""
    angle = 2 * airy_angle(AIRY_HIGH) / (s + 1)
    x = (angle * 3 / 2) ** (mp.mpf(2) / 3)
    return mp.airyai(x) * mp.root(x, 4) * mp.exp(angle)


def airy_waves(x: Real) -> tuple[Real, Real]:
    """Return P and Q of Ai(-x) = x^(-1/4) / sqrt(pi) (P sin(z + pi/4) - Q cos(z + pi/4))."""
    angle = airy_angle(x) + mp.pi / 4
    scale = mp.sqrt(mp.pi) * mp.root(x, 4)
    a, b = mp.airyai(-x) * scale, mp.airybi(-x) * scale
    sine, cosine = mp.sin(angle), mp.cos(angle)
    return a * sine + b * cosine, b * sine - a * cosine


def airy_wave(index: int) -> Function:
    """Return P, or Q z / z(4), in 2 (z(4) / z)^2 - 1."""

    def function(s: Real) -> Real:
        first = airy_angle(AIRY_LOW)
        angle = first / mp.sqrt((s + 1) / 2)
        x = (angle * 3 / 2) ** (mp.mpf(2) / 3)
        value = airy_waves(x)[index]
        return value * angle / first if index else value

    return function


ROWS = [
    *(Row(f"NearJ{n}", near_j(n)) for n in (0, 1)),
    *(Row(f"NearY{n}", near_y(n)) for n in (0, 1)),
    *(Row(f"FarP{n}", far_p(n)) for n in (0, 1)),
    *(Row(f"FarQ{n}", far_q(n)) for n in (0, 1)),
    *(Row(f"NearI{n}", near_i(n)) for n in (0, 1)),
    *(Row(f"NearK{n}", near_k(n)) for n in (0, 1)),
    *(Row(f"FarK{n}", far_k(n)) for n in (0, 1)),
    Row("AiryMiddle", airy_middle),
    Row("AiryFalling", airy_falling),
    Row("AiryP", airy_wave(0)),
    Row("AiryQ", airy_wave(1)),
]


def show_zero(name: str, value: Real) -> None:
    """Print a zero as the sum of two doubles."""
    high = float(value)
    print(f"constexpr double k{name} = {high.hex()}, k{name}Rest = {float(value - high).hex()};")


def main() -> None:
    """Print the zeros and the tables."""
    for order in (0, 1):
        show_zero(f"ZeroJ{order}", zero(order, 1))
        show_zero(f"NextZeroJ{order}", zero(order, 2))
    show_zero("ZeroAiry", mp.airyaizero(1))
    print(f"constexpr double kAiryAngleLow = {float(airy_angle(AIRY_LOW)).hex()};")
    print(f"constexpr double kAiryAngleHigh = {float(airy_angle(AIRY_HIGH)).hex()};")
    for row in ROWS:
        for suffix, bits in (("", 57), ("Short", 29)):
            numbers = ", ".join(value.hex() for value in powers(row.function, bits))
            print(f"constexpr double k{row.name}{suffix}[] = {{{numbers}}};")


if __name__ == "__main__":
    main()
