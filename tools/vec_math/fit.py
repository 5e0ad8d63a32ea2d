"""Fits the polynomials of ATen/cpu/vec/vec_math.h.

Each row is the smooth remainder of a function after its leading terms were split off by hand. It is
fitted in high precision and rounded to the target type one coefficient at a time, lowest first,
refitting the others after each. After a change, run it and compare its output with the header.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp

mp.mp.prec = 200

Real = Any  # mpmath.mpf; the package has no annotations
Function = Callable[[Real], Real]


@dataclass(frozen=True)
class Row:
    """One polynomial: `function` on [low, high], its error weighted by `weight`."""

    name: str
    function: Function
    weight: Function
    low: float
    high: float
    degree: int
    single: bool


def to_single(value: Real) -> Real:
    """Round to single precision."""
    return mp.mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def round_to(value: Real, single: bool) -> Real:
    """Round to single or double precision."""
    return to_single(value) if single else mp.mpf(float(value))


def evaluate(coefficients: Sequence[Real], x: Real) -> Real:
    """Evaluate a polynomial; coefficients are in ascending order."""
    total = mp.mpf(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def best(
    function: Function, weight: Function, low: Real, high: Real, first: int, last: int
) -> list[Real]:
    """Return coefficients first..last of the least-squares polynomial at Chebyshev nodes.

    The nodes are denser near the ends, which brings the result close to the minimax polynomial.
    """
    terms = last - first + 1
    count = 4 * terms + 16
    matrix = mp.matrix(count, terms)
    right = mp.matrix(count, 1)
    for i in range(count):
        x = (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count))
        for j in range(terms):
            matrix[i, j] = x ** (first + j) * weight(x)
        right[i] = function(x) * weight(x)
    solved = mp.lu_solve(matrix, right)
    return [solved[j] for j in range(terms)]


def fit(row: Row, samples: int = 800) -> tuple[list[Real], Real]:
    """Return the rounded coefficients, lowest first, and the largest weighted error."""
    low, high = mp.mpf(row.low), mp.mpf(row.high)
    done: list[Real] = []
    for first in range(row.degree + 1):

        def rest(x: Real) -> Real:
            return row.function(x) - evaluate(done, x)

        solution = best(rest, row.weight, low, high, first, row.degree)
        done.append(round_to(solution[0], row.single))
    worst = mp.mpf(0)
    for i in range(samples + 1):
        x = low + (high - low) * i / samples + mp.mpf(10) ** -15
        worst = max(worst, abs((evaluate(done, x) - row.function(x)) * row.weight(x)))
    return done, worst


def exp_tail(x: Real) -> Real:
    """Evaluate (exp(x) - 1 - x) / x^2."""
    return (mp.exp(x) - 1 - x) / x**2


def log_tail(f: Real) -> Real:
    """Evaluate (log(1+f) - f + f^2/2) / f^3."""
    return (mp.log(1 + f) - f + f * f / 2) / f**3


def log_odd(z: Real) -> Real:
    """Evaluate ((log((1+s)/(1-s)) / s) - 2) / s^2 for z = s^2."""
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) / s - 2) / z


def sin_tail(z: Real) -> Real:
    """Evaluate (sin(x)/x - 1) / x^2 for z = x^2."""
    x = mp.sqrt(z)
    return (mp.sin(x) / x - 1) / z


def cos_tail(z: Real) -> Real:
    """Evaluate (cos(x) - 1 + x^2/2) / x^4 for z = x^2."""
    x = mp.sqrt(z)
    return (mp.cos(x) - 1 + z / 2) / z**2


def tan_denominator(z: Real) -> Real:
    """Evaluate the q of tan(x) = x - x z / q for z = x^2."""
    x = mp.sqrt(z)
    return x**3 / (x - mp.tan(x))


def tan_weight(z: Real) -> Real:
    """Weight an error of the denominator by its relative effect on tan."""
    q = tan_denominator(z)
    return z / (q * (q - z))


def tanh_tail(z: Real) -> Real:
    """Evaluate (tanh(x)/x - 1) / x^2 for z = x^2."""
    x = mp.sqrt(z)
    return (mp.tanh(x) / x - 1) / z


def atan_tail(z: Real) -> Real:
    """Evaluate (atan(x)/x - 1) / x^2 for z = x^2."""
    x = mp.sqrt(z)
    return (mp.atan(x) / x - 1) / z


def asin_tail(z: Real) -> Real:
    """Evaluate (asin(x)/x - 1) / x^2 for z = x^2."""
    x = mp.sqrt(z)
    return (mp.asin(x) / x - 1) / z


def erfc_scale(pole: int) -> Function:
    """Evaluate (1 + 2 x) exp(x^2) erfc(x) for q = (x - pole) / (x + pole)."""

    def function(q: Real) -> Real:
        x = pole * (1 + q) / (1 - q)
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)

    return function


def erfcx(x: Real) -> Real:
    """Evaluate exp(x^2) erfc(x)."""
    return mp.exp(x * x) * mp.erfc(x)


def gelu_tail(a: Real) -> Real:
    """Evaluate a Phi(-a), which gelu(a) is less than a, and gelu(-a) less than 0."""
    return a * mp.erfc(a / mp.sqrt(2)) / 2


def erfinv_ratio(w: Real) -> Real:
    """Evaluate erfinv(y) / y for w = -log(1 - y^2)."""
    y = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(y) / y if y else mp.sqrt(mp.pi) / 2


def erf_ratio(z: Real) -> Real:
    """Evaluate erf(x)/x - 1 for z = x^2."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def erfc_exponent(a: Real) -> Real:
    """Evaluate -log(erfc(a))."""
    return -mp.log(mp.erfc(a))


def one(_: Real) -> Real:
    """Return 1, the weight of an absolute error."""
    return mp.mpf(1)


@dataclass(frozen=True)
class Table:
    """A function from 0 on: one low-degree polynomial around each point 0, step, 2 step, ..."""

    name: str
    function: Function
    step: float
    degree: int
    count: int = 32
    slope: float | None = None  # at 0, if it is to be exact


def table_rows(table: Table) -> list[list[Real]]:
    """Return the coefficients in x - point for each point, lowest first, rounded to single."""
    rows = []
    for index in range(table.count):
        center = mp.mpf(table.step) * index
        low = -mp.mpf(table.step) / 2 if index else mp.mpf(10) ** -9

        def value(t: Real, at: Real = center) -> Real:
            return table.function(at + t)

        def weight(t: Real, at: Real = center) -> Real:
            return 1 / table.function(at + t)

        if table.function(center) != 0:
            row = Row(table.name, value, weight, low, table.step / 2, table.degree, True)
            coefficients, worst = fit(row, samples=60)
        else:  # no constant term, so that the error stays relative down to 0

            def ratio(t: Real) -> Real:
                return table.function(t) / t

            done = [] if table.slope is None else [mp.mpf(table.slope)]

            def rest(t: Real, start: Sequence[Real] = tuple(done)) -> Real:
                return (ratio(t) - evaluate(start, t)) / t ** len(start)

            def power(t: Real, start: Sequence[Real] = tuple(done)) -> Real:
                return t ** len(start)

            degree = table.degree - 1 - len(done)
            row = Row(table.name, rest, power, low, table.step / 2, degree, True)
            coefficients, worst = fit(row, samples=60)
            coefficients = [mp.mpf(0), *done, *coefficients]
        if worst > mp.mpf(2) ** -24:
            print(
                f"// {table.name}: piece {index} is only good to {mp.nstr(mp.log(worst, 2), 4)} bits"
            )
        rows.append(coefficients)
    return rows


TABLES = (
    Table("erf_t", mp.erf, 0.125, 5),
    Table("tanh_t", mp.tanh, 0.28125, 6),
    Table("erfcx_t", erfcx, 0.328125, 5),
    Table("erfinv_t", erfinv_ratio, 0.5078125, 4),
    Table("gelu_t", gelu_tail, 0.18359375, 3, slope=0.5),
)

POWER_COUNTS = {"powers_f": 32, "powers_d": 16}  # 2^(k / count)


def power(exponent: int) -> Function:
    """|x|^exponent."""
    return lambda x: abs(x) ** exponent


def erfc_weight(a: Real) -> Real:
    """Weight an error of the exponent by its relative effect on erf."""
    return mp.erfc(a) / mp.erf(a)


HALF_LN2 = 0.34665736
QUARTER_PI_SQUARED = 0.61686
ROWS = (
    Row("exp_f", exp_tail, power(2), -HALF_LN2, HALF_LN2, 4, True),
    Row("expm1_f", exp_tail, power(1), -HALF_LN2, HALF_LN2, 5, True),
    Row("exp_d", exp_tail, power(1), -HALF_LN2, HALF_LN2, 9, False),
    Row("expm1_d", exp_tail, power(1), -HALF_LN2, HALF_LN2, 10, False),
    Row("exp_table_f", exp_tail, power(2), -HALF_LN2 / 32, HALF_LN2 / 32, 1, True),
    Row("exp_table_d", exp_tail, power(2), -HALF_LN2 / 16, HALF_LN2 / 16, 4, False),
    Row("log_f", log_tail, power(2), -0.2929, 0.41422, 8, True),
    Row("log_wide_f", log_tail, power(2), -0.25, 0.5, 9, True),
    Row("log_wide_d", log_odd, power(1), 1e-12, 0.0401, 8, False),
    Row("log_d", log_odd, power(1), 1e-12, 0.0295, 7, False),
    Row("log2_fast_d", log_odd, power(1), 1e-12, 0.0295, 3, False),
    Row("sin_f", sin_tail, power(1), 1e-12, QUARTER_PI_SQUARED, 2, True),
    Row("cos_f", cos_tail, power(2), 1e-12, QUARTER_PI_SQUARED, 2, True),
    Row("sin_d", sin_tail, power(1), 1e-12, QUARTER_PI_SQUARED, 6, False),
    Row("cos_d", cos_tail, power(2), 1e-12, QUARTER_PI_SQUARED, 5, False),
    Row("tan_f", tan_denominator, tan_weight, 1e-12, QUARTER_PI_SQUARED, 3, True),
    Row("tan_d", tan_denominator, tan_weight, 1e-12, QUARTER_PI_SQUARED, 7, False),
    Row("atan_f", atan_tail, power(1), 1e-12, 0.1716, 4, True),
    Row("atan_d", atan_tail, power(1), 1e-12, 0.1716, 11, False),
    Row("asin_f", asin_tail, power(1), 1e-12, 0.25, 4, True),
    Row("asin_d", asin_tail, power(1), 1e-12, 0.25, 12, False),
    Row("erfc_scale_f", erfc_scale(2), one, -1, 0.68, 9, True),
    Row("erfc_scale_d", erfc_scale(4), one, -1, 0.75, 21, False),
    Row("tanh_f", tanh_tail, power(1), 1e-12, 0.31, 4, True),
    Row("tanh_d", tanh_tail, power(1), 1e-12, 0.31, 12, False),
    Row("erf_small_f", erf_ratio, one, 1e-12, 0.85, 6, True),
    Row("erf_small_d", erf_ratio, one, 1e-12, 0.72, 11, False),
    Row("erfc_f", erfc_exponent, erfc_weight, 0.92, 4.0, 7, True),
    Row("erfc_d1", erfc_exponent, erfc_weight, 0.84, 2.2, 14, False),
    Row("erfc_d2", erfc_exponent, erfc_weight, 2.2, 5.95, 14, False),
)


def main() -> None:
    """Print the coefficients of the rows and tables named in the arguments, or of all."""
    import sys

    def wanted(name: str) -> bool:
        return len(sys.argv) == 1 or name in sys.argv[1:]

    for row in ROWS:
        if not wanted(row.name):
            continue
        coefficients, worst = fit(row)
        suffix = "f" if row.single else ""
        text = ", ".join(f"{float(c).hex()}{suffix}" for c in coefficients)
        print(f"// {row.name}: error {mp.nstr(mp.log(worst, 2), 4)} bits")
        print(f"{{{text}}}")
    for table in TABLES:
        if not wanted(table.name):
            continue
        print(f"// {table.name}: one line per power")
        for column in zip(*table_rows(table), strict=True):
            print("{" + ", ".join(f"{float(c).hex()}f" for c in column) + "},")
    for name, count in POWER_COUNTS.items():
        if not wanted(name):
            continue
        single = name == "powers_f"
        powers = (round_to(mp.mpf(2) ** (mp.mpf(k) / count), single) for k in range(count))
        print(f"// {name}")
        print("{" + ", ".join(float(p).hex() for p in powers) + "}")


if __name__ == "__main__":
    main()
