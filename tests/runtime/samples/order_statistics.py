"""Samples of order statistics, counts, searches, distances and scattered reductions."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import ALL, FLOATS, INTS, REAL, Maker, Operator, Sample, sample

NAN = float("nan")


def repeated(make: Maker) -> Iterator[Sample]:
    yield sample(make(20, low=0, high=5).round() if make.is_float else make(20, low=0, high=5))
    yield sample(make(4, 5, low=0, high=2).round() if make.is_float else make(4, 5, low=0, high=2))
    yield sample(make(0))
    yield sample(make())
    for inverse, counts in ((True, False), (False, True), (True, True)):
        tensor = make(6, 4, low=0, high=3)
        yield sample(tensor.round() if make.is_float else tensor, inverse, counts)


def uniques(make: Maker) -> Iterator[Sample]:
    for each in repeated(make):
        yield Sample((each.args[0], True, *each.args[1:]))


def pairs_of_uniques(make: Maker) -> Iterator[Sample]:
    for each in repeated(make):
        yield Sample((each.args[0], True, *each.args[1:2]))


def consecutive(make: Maker) -> Iterator[Sample]:
    yield from repeated(make)
    yield sample(make(6, 2, low=0, high=2, dtype="int64"), True, True, 0)


def slices(make: Maker) -> Iterator[Sample]:
    for dim in (0, 1, -1):
        tensor = make(6, 5, low=0, high=2)
        tensor = tensor.round() if make.is_float else tensor
        yield sample(tensor, dim, True, True, True)
    yield sample(make(2, 3, 2).transpose(0, 2), 1)


def consecutive_slices(make: Maker) -> Iterator[Sample]:
    yield sample(make(6, 2, low=0, high=2, dtype="int64"), 0, True, True)
    yield sample(make(6, 2, low=0, high=2, dtype="int64"), 1)


def searches(make: Maker) -> Iterator[Sample]:
    values = make(9, low=0, high=9).sort()[0]
    yield sample(values, make(4, 5, low=0, high=9))
    yield sample(values, make(5, 4, low=0, high=9).t(), right=True)
    yield sample(values, make(low=0, high=9))
    yield sample(values, 3)
    yield sample(values, make(0, low=0, high=9))
    yield sample(values, make(3, low=0, high=9), side="right")
    yield sample(values, make(3, low=0, high=9), out_int32=True)
    rows = make(2, 9, low=0, high=9).sort(dim=1)[0]
    yield sample(rows, make(2, 3, low=0, high=9))
    shuffled = make(9, low=0, high=9)
    yield sample(shuffled, make(3, low=0, high=9), sorter=shuffled.argsort(stable=True))


def buckets(make: Maker) -> Iterator[Sample]:
    bounds = make(5, low=0, high=9).sort()[0]
    yield sample(make(4, 5, low=0, high=9), bounds)
    yield sample(make(4, 5, low=0, high=9), bounds, right=True)
    yield sample(3, bounds)
    yield sample(make(0), bounds, out_int32=True)


def members(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5, low=0, high=9), make(3, low=0, high=9))
    yield sample(make(4, 5, low=0, high=9), make(50, low=0, high=9))
    yield sample(make(4, 5, low=0, high=9), make(50, low=0, high=9), invert=True)
    yield sample(make(4, low=0, high=4), 2)
    yield sample(2, make(4, low=0, high=4))
    yield sample(make(0), make(3))
    yield sample(make(3), make(0))
    # Enough elements to compare with one candidate after another.
    yield sample(make(30, 40, low=0, high=9), make(7, low=0, high=9))
    yield sample(make(2000, low=0, high=9), make(2, 3, low=0, high=300, dtype="int64"))


def bins(make: Maker) -> Iterator[Sample]:
    yield sample(make(203, low=0, high=9))
    yield sample(make(20, low=0, high=9))
    yield sample(make(20, low=0, high=9), minlength=30)
    yield sample(make(20, low=0, high=9), make(20, dtype="float32"))
    yield sample(make(20, low=0, high=9), make(20, dtype="float64"))
    yield sample(make(20, low=0, high=9), make(20, dtype="int64"))
    yield sample(make(0, low=0, high=9))


def histograms(make: Maker) -> Iterator[Sample]:
    yield sample(make(50))
    yield sample(make(50), 5, -2, 3)
    yield sample(make(5, 4).t(), 3)
    yield sample(make(0), 3)


def places(make: Maker) -> Iterator[Sample]:
    for shape in ((), (7,), (3, 4), (2, 3, 5), (200,)):
        tensor = make.distinct(*shape)
        yield sample(tensor, 1)
        for dim in range(tensor.dim()):
            yield sample(tensor, 2, dim)
            yield sample(tensor.transpose(0, dim), 1, dim, True)


def medians(make: Maker) -> Iterator[Sample]:
    for shape in ((), (7,), (3, 4), (2, 3, 5), (200,)):
        tensor = make.distinct(*shape)
        yield sample(tensor)
        for dim in range(tensor.dim()):
            yield sample(tensor, dim)
            yield sample(tensor.transpose(0, dim), dim, True)
    if make.is_float:
        holes = make.distinct(3, 5)
        holes[1, 2] = NAN
        yield sample(holes)
        yield sample(holes, 1)
        yield sample(torch.full_like(holes[:, :3], NAN), 1)


def modes(make: Maker) -> Iterator[Sample]:
    tensor = make(4, 9, low=0, high=3)
    tensor = tensor.round() if make.is_float else tensor
    yield sample(tensor)
    yield sample(tensor, 0)
    yield sample(tensor.t(), 1, True)
    yield sample(make())


def quantiles(make: Maker) -> Iterator[Sample]:
    for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
        yield sample(make(3, 5), 0.3, interpolation=interpolation)
        yield sample(make(3, 5), make(4, low=0, high=1), 1, interpolation=interpolation)
    yield sample(make(3, 5, 2), make(4, low=0, high=1), 1, True)
    yield sample(make(3, 5, 2).transpose(0, 2), make(4, low=0, high=1), 0)
    yield sample(make(3, 5), make(4, low=0, high=1), None, True)
    yield sample(make(3, 5), 0.5, 0)
    yield sample(make(), 0.5)
    if make.is_float:
        holes = make(3, 5)
        holes[1, 2] = NAN
        yield sample(holes, 0.4, 1)
        yield sample(holes, 0.4)


def points(make: Maker) -> Iterator[Sample]:
    for p in (2.0, 1.0, 0.0, 3.0, float("inf")):
        yield sample(make(4, 3), make(5, 3), p)
    yield sample(make(2, 4, 3), make(5, 3))
    yield sample(make(3, 4).t(), make(2, 3))
    yield sample(make(30, 3), make(40, 3))
    yield sample(make(0, 3), make(2, 3))
    yield sample(make(2, 0), make(2, 0))


def point_gradients(make: Maker) -> Iterator[Sample]:
    for p in (2.0, 1.0, 3.0, float("inf")):
        a, b = make(4, 3), make(5, 3)
        yield sample(make(4, 5), a, b, p, torch._VF.cdist(a, b, p, None))


def forward_points(make: Maker) -> Iterator[Sample]:
    for each in points(make):
        yield sample(each.args[0], each.args[1], (*each.args, 2.0)[2], None)


def scattered(make: Maker) -> Iterator[Sample]:
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            index = make.indices(4, 5, high=3)
            start, source = make(3, 5, low=1, high=4), make(4, 5, low=1, high=4)
            yield sample(start, 0, index, source, reduce, include_self=include)
            index = make.indices(3, 2, high=5)
            yield sample(make(3, 5), 1, index, make(3, 2), reduce, include_self=include)
        yield sample(make(3), 0, make.indices(0, high=3), make(0), reduce)
        yield sample(make(), 0, torch.tensor(0), make(), reduce)


def unordered(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor)
    if make.is_float:
        yield sample(make.extremal())
        yield sample(make.extremal(), 1.0, 2.0, -3.0)
        yield sample(make.extremal(), posinf=5.0)


ORDERED = ("bool", *REAL)
MEAN = {"low_tolerance": (5e-2, 1e-2)}
aten = torch.ops.aten

TABLE = [
    Operator(
        "_unique", pairs_of_uniques, ORDERED, call=torch._VF._unique, method=False, meta=False
    ),
    Operator("_unique2", uniques, ORDERED, call=torch._VF._unique2, method=False, meta=False),
    Operator("unique_dim", slices, ORDERED, call=torch._VF.unique_dim, method=False, meta=False),
    Operator(
        "unique_consecutive",
        consecutive,
        ORDERED,
        call=torch._VF.unique_consecutive,
        method=False,
        meta=False,
    ),
    Operator(
        "unique_dim_consecutive",
        consecutive_slices,
        ("int64",),
        call=aten.unique_dim_consecutive,
        method=False,
        meta=False,
    ),
    Operator("searchsorted", searches, REAL, method=False),
    Operator("bucketize", buckets, REAL, method=False),
    Operator("isin", members, REAL, method=False),
    Operator("bincount", bins, INTS, meta=False),
    Operator("histc", histograms, FLOATS, meta=False, low_tolerance=(0, 3)),
    Operator("kthvalue", places, REAL),
    Operator("median", medians, REAL, meta=False),
    Operator("nanmedian", medians, REAL, meta=False),
    Operator("mode", modes, ORDERED),
    Operator("quantile", quantiles, FLOATS, meta=False),
    Operator("nanquantile", quantiles, FLOATS, meta=False),
    Operator(
        "cdist",
        points,
        FLOATS,
        call=torch._VF.cdist,
        method=False,
        tolerance=(1e-4, 1e-4),
        low_tolerance=(1e-1, 1e-1),
    ),
    Operator(
        "_cdist_forward",
        forward_points,
        FLOATS,
        call=aten._cdist_forward,
        method=False,
        tolerance=(1e-4, 1e-4),
        low_tolerance=(1e-1, 1e-1),
    ),
    Operator("_cdist_backward", point_gradients, FLOATS, call=aten._cdist_backward, method=False),
    Operator("scatter_reduce", scattered, REAL, in_place=True, **MEAN),
    Operator("nan_to_num", unordered, ALL, in_place=True, out=True),
]
