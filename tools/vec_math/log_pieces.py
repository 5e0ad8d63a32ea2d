"""Computes the tables of ATen/cpu/vec/vec_log_table.h: `python -m tools.vec_math.log_pieces`.

A number m in [c, 2c), c just below 3/4, lies in one of 32 (float) or 16 (double) pieces, even in the
bits of m. log(m) is log(p) + log(1 + f), with f = m / p - 1 for a point p of the piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath as mp

from tools.vec_math.fit import Real, Row, evaluate, fit, power, round_to

FACTORS = {"NaturalLog": mp.mpf(1), "BinaryLog": 1 / mp.log(2), "DecimalLog": 1 / mp.log(10)}


@dataclass(frozen=True)
class Precision:
    """How one type splits numbers: the bits of a piece's number, and how to look for points."""

    single: bool
    bits: int
    step: Real  # between candidates for 1 / p
    candidates: int  # on each side
    degree: int


PRECISIONS = (
    Precision(True, 5, mp.mpf(2) ** -19, 60, 2),
    Precision(False, 4, mp.mpf(2) ** -28, 3000, 7),
)


def bounds(of: Precision) -> list[tuple[Real, Real]]:
    """Return where each piece begins and ends; the middle of the first is 3/4 in terms of bits."""
    count = 1 << of.bits

    def value(place: Real) -> Real:
        mantissa, exponent = count / mp.mpf(2) + place, -1
        if mantissa >= count:
            mantissa, exponent = mantissa - count, 0
        return mp.ldexp(1 + mantissa / count, exponent)

    return [(value(k - mp.mpf(1) / 2), value(k + mp.mpf(1) / 2)) for k in range(count)]


def rounding(inverse: Real, of: Precision) -> Real:
    """Return the largest error, in units of the last place, of log(p) to the three bases."""
    worst = mp.mpf(0)
    for factor in FACTORS.values():
        exact = -mp.log(inverse) * factor
        exponent = int(mp.floor(mp.log(abs(exact), 2)))
        unit = mp.ldexp(1, exponent - (23 if of.single else 52))
        worst = max(worst, abs(exact - round_to(exact, of.single)) / unit)
    return worst


def inverse_point(low: Real, high: Real, of: Precision) -> Real:
    """Return 1 / p: 1 around 1, and elsewhere near the middle with the best logarithms."""
    if low < 1 < high:
        return mp.mpf(1)
    middle = round_to(2 / (low + high), of.single)
    near = range(-of.candidates, of.candidates + 1)
    return min(
        (round_to(middle + j * of.step, of.single) for j in near), key=lambda x: rounding(x, of)
    )


def text(values: list[Real], of: Precision) -> str:
    """Return numbers as C++ writes them."""
    suffix = "f" if of.single else ""
    return ", ".join(float(value).hex() + suffix for value in values)


def main() -> None:
    """Print the tables of both types."""
    for of in PRECISIONS:
        pieces = bounds(of)
        inverses = [inverse_point(low, high, of) for low, high in pieces]
        ends = zip(pieces, inverses, strict=True)
        limit = max(abs(end * x - 1) for both, x in ends for end in both)
        print(f"kInverse {{{text(inverses, of)}}}")
        for name, factor in FACTORS.items():

            def tail(f: Real, factor: Real = factor) -> Real:
                series = [-mp.mpf(1) / 2, mp.mpf(1) / 3, -mp.mpf(1) / 4]
                near = abs(f) < mp.mpf(10) ** -20
                return factor * (evaluate(series, f) if near else (mp.log1p(f) - f) / f**2)

            points = [round_to(-mp.log(x) * factor, of.single) for x in inverses]
            row = Row(name, tail, power(1), float(-limit), float(limit), of.degree, of.single)
            coefficients, worst = fit(row, samples=200)
            high = round_to(factor, of.single)
            low_part = round_to(factor - high, of.single)
            print(f"{name}: kFactor, kFactorLow {{{text([high, low_part], of)}}}")
            print(f"{name}: kPoint {{{text(points, of)}}}")
            print(
                f"{name}: kTail {{{text(coefficients, of)}}} // {mp.nstr(mp.log(worst, 2), 4)} bits"
            )


if __name__ == "__main__":
    main()
