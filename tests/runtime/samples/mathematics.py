"""Samples of the functions of the C library, bit shifts, complex numbers and triangles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import torch

from .model import ALL, FLOATS, INTS, LOW_FLOATS, REAL, Maker, Operator, Sample, sample
from .pointwise import binary, tensors_only, unary

ANY_FLOAT = FLOATS + LOW_FLOATS
LOOSE = (1e-5, 1e-6)


def function(name: str, low: float = -4, high: float = 5, dtypes=ALL, **kwargs) -> Operator:
    return Operator(
        name, unary(low, high), dtypes, in_place=True, out=True, tolerance=LOOSE, **kwargs
    )


def angles(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor)


def remainders(make: Maker) -> Iterator[Sample]:
    yield from binary(1, 5)(make)
    if make.is_float:
        yield sample(make.extremal(), 2.0)


def shifts(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), make(4, 5, low=0, high=7))
    yield sample(make(5, 4).t(), make(5, low=0, high=7).unsqueeze(0)[:, :1])
    yield sample(make(4), 2)
    yield sample(make(4), 70)
    yield sample(3, make(4, low=0, high=5))
    yield sample(make(0), 1)


def sums(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor)
        if tensor.dim():
            yield sample(tensor, 0, True)
    yield sample(make(3, 4, 5), (0, 2))
    if make.is_float:
        holes = make(3, 5)
        holes[1, 2] = float("nan")
        yield sample(holes, 1)
        yield sample(holes, dtype=torch.float64)


def parts(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), make(3, 4))
    yield sample(make(3, 1), make(4))
    yield sample(make(), make())
    yield sample(make(0), make(0))


def lengths_and_angles(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4, low=1), make(3, 4))
    yield sample(make(3, 1, low=1), make(4))
    yield sample(make(low=1), make())
    yield sample(make(0), make(0))


def probabilities(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts(low=0, high=1):
        yield sample(tensor)
        yield sample(tensor, 1e-3)
    if make.is_float:
        yield sample(make.extremal(), 1e-6)


def powers(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4, low=1), make(4, low=0, high=3))
    yield sample(make(3, 4, low=1), 2)
    yield sample(make(3, 4, low=1), 0.5)
    yield sample(2, make(3, low=0, high=3))


def triangles(make: Maker) -> Iterator[Sample]:
    for size in ((3, 3), (2, 4), (4, 2), (0, 3)):
        for offset in (0, 1, -1, 9):
            yield sample(*size, offset)
    yield sample(3, 4, dtype=torch.int32)


def ranges(make: Maker) -> Iterator[Sample]:
    yield sample(0, 2, 5)
    yield sample(-1.5, 1.5, 7, 2.0)
    yield sample(1, 3, 0)
    yield sample(1, 3, 1)
    yield sample(0, 2, 4, dtype=torch.float64)


def signs(make: Maker) -> Iterator[Sample]:
    yield from tensors_only(make)
    if make.is_float:
        yield sample(make.extremal(), make.extremal().flip(0))


BOTH = {"in_place": True, "out": True, "tolerance": LOOSE}

TABLE = [
    function("tan", -1, 1.5, reference=np.tan),
    function("acos", -1, 1, reference=np.arccos),
    function("asin", -1, 1, reference=np.arcsin),
    function("atan", reference=np.arctan),
    function("cosh", reference=np.cosh),
    function("sinh", reference=np.sinh),
    function("acosh", 1.5, 5, reference=np.arccosh),
    function("asinh", reference=np.arcsinh),
    function("atanh", -0.9, 0.9, reference=np.arctanh),
    function("log2", 0.5, 5),
    function("log10", 0.5, 5),
    function("exp2"),
    function("erfc", dtypes=("bool", *REAL)),
    Operator("atan2", tensors_only, ("bool", *REAL), reference=np.arctan2, **BOTH),
    Operator("hypot", tensors_only, ANY_FLOAT, reference=np.hypot, **BOTH),
    Operator("copysign", signs, ("bool", *REAL), reference=np.copysign, **BOTH),
    Operator("nextafter", signs, (*FLOATS, "bfloat16"), out=True, method=True),
    Operator("logaddexp", tensors_only, ANY_FLOAT, out=True, tolerance=LOOSE),
    Operator("logaddexp2", tensors_only, ANY_FLOAT, out=True, tolerance=LOOSE),
    Operator("fmod", remainders, REAL, in_place=True, out=True, tolerance=LOOSE),
    Operator("deg2rad", angles, REAL, tolerance=LOOSE),
    Operator("rad2deg", angles, REAL, tolerance=LOOSE),
    Operator("float_power", powers, (*INTS, *FLOATS)),
    Operator("logit", probabilities, ANY_FLOAT, tolerance=LOOSE, low_tolerance=(2e-2, 1e-2)),
    Operator("signbit", unary(), REAL),
    Operator("gcd", tensors_only, INTS, reference=np.gcd, **BOTH),
    Operator("lcm", tensors_only, INTS, reference=np.lcm, **BOTH),
    Operator("frac", unary(), ANY_FLOAT, **BOTH),
    Operator("frexp", unary(), ANY_FLOAT, method=True),
    Operator("angle", unary(), ("bool", *ALL), out=True, tolerance=LOOSE),
    Operator("bitwise_left_shift", shifts, INTS, method=False),
    Operator("bitwise_right_shift", shifts, INTS, method=False),
    Operator("nansum", sums, ("bool", *REAL), low_tolerance=(5e-2, 1e-2)),
    Operator("nanmean", sums, ANY_FLOAT, low_tolerance=(5e-2, 1e-2)),
    Operator("complex", parts, FLOATS, method=False),
    Operator("polar", lengths_and_angles, FLOATS, method=False, tolerance=LOOSE),
    Operator("tril_indices", triangles, ("int64",), method=False, meta=False),
    Operator("triu_indices", triangles, ("int64",), method=False, meta=False),
    Operator("logspace", ranges, FLOATS, method=False, meta=False, tolerance=LOOSE),
]
