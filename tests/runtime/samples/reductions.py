"""Samples of reductions, scans and order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import torch

from .model import (
    ALL,
    COMPLEX,
    FLOATS,
    LOW_FLOATS,
    REAL,
    Maker,
    Operator,
    Sample,
    sample,
    scipy_special,
)

ANY_FLOAT = FLOATS + LOW_FLOATS
SUMS = (5e-2, 1e-2)  # PyTorch rounds each step to 16 bits here
BOOL_REAL = ("bool", *REAL)


def dims(
    lists: bool = True, whole: bool = True, nonempty: bool = False, low: float = -4, high: float = 5
):
    """Return samples over all, one and several dimensions of every layout, also with keepdim."""

    def samples(make: Maker) -> Iterator[Sample]:
        for tensor in make.layouts(low=low, high=high):
            if nonempty and tensor.numel() == 0:
                continue
            if whole:
                yield sample(tensor)
            for dim in range(tensor.dim()):
                yield sample(tensor, dim)
        yield sample(make(3, 4, 5, low=low, high=high), -1, True)
        yield sample(make(low=low, high=high), 0)
        yield sample(make(33, 70, low=low, high=high), 0)
        yield sample(make(33, 70, low=low, high=high), 1)
        if lists:
            yield sample(make(3, 4, 5, low=low, high=high), (0, 2))
            yield sample(make(3, 4, 5, low=low, high=high), (1, -1), True)
            yield sample(make(4, 3, 5, low=low, high=high).transpose(0, 1), (0, 1))
        if make.is_float and whole:
            yield sample(make.extremal())

    return samples


def dtyped(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), dtype=torch.float64)
    yield sample(make(3, 4), 1, dtype=torch.float32)


def both(*generators):
    def samples(make: Maker) -> Iterator[Sample]:
        for generator in generators:
            yield from generator(make)

    return samples


def ordered(make: Maker) -> Iterator[Sample]:
    """Return values without ties, so that the indices are determined."""
    for shape in ((), (1,), (7,), (3, 4), (2, 3, 5), (100,)):
        tensor = make.distinct(*shape)
        yield sample(tensor)
        for dim in range(tensor.dim()):
            yield sample(tensor, dim)
            yield sample(tensor.transpose(0, dim), dim)


def arg_ordered(make: Maker) -> Iterator[Sample]:
    yield from ordered(make)
    yield sample(make.distinct(3, 4), 1, True)
    yield sample(make.distinct(5, 6)[::2], 0)


def pairwise(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), make(4))
    yield sample(make(3, 4), make(3, 4))


def variances(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        if tensor.numel() > 1:
            yield sample(tensor)
            yield sample(tensor, 0, unbiased=False)
            yield sample(tensor, tensor.dim() - 1, correction=1, keepdim=True)
    yield sample(make(3, 4, 5), (0, 2), correction=0)
    yield sample(make(33, 70), 0)
    yield sample(make(33, 70), 1)


def norms(make: Maker) -> Iterator[Sample]:
    for order in (2, 1, 0, 3, float("inf"), float("-inf")):
        yield sample(make(3, 4), order)
        yield sample(make(3, 4), order, 1)
        yield sample(make(3, 4, 5), order, (0, 2), True)
    yield sample(make(70))
    yield sample(make(0))


def vector_norms(make: Maker) -> Iterator[Sample]:
    for order in (2, 1, 0, 3.5, float("inf"), float("-inf")):
        yield sample(make(3, 4), order)
        yield sample(make(3, 4), order, 1, keepdim=True)
    yield sample(make(3, 4), dtype=torch.complex128 if make.is_complex else torch.float64)


def counts(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts(low=0, high=2):
        yield sample(tensor)
        if tensor.dim():
            yield sample(tensor, 0)
    yield sample(make(3, 4, 5, low=0, high=2), (0, 2))


def scans(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts(low=-2, high=3):
        for dim in range(max(tensor.dim(), 1)):
            yield sample(tensor, dim)
    yield sample(make(3, 4), -1, dtype=torch.float64)


def runs(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts(low=-2, high=3):
        for dim in range(max(tensor.dim(), 1)):
            yield sample(tensor, dim)
    yield sample(make(3, 70), -1)
    yield sample(make(2, 40, 3), 1)
    yield sample(make(0, 3), 0)


def sorts(make: Maker) -> Iterator[Sample]:
    yield from ordered(make)
    yield sample(make.distinct(3, 4), 0, True)
    yield sample(make.distinct(50), descending=True)
    yield sample(make(40, low=0, high=4), stable=True)
    yield sample(make(300, low=0, high=9), stable=True, dim=0)
    yield sample(make(3, 40, low=0, high=4), stable=True, dim=1, descending=True)
    if make.is_float:
        yield sample(make.extremal(), stable=True)
        yield sample(make.extremal(), stable=True, descending=True)


def argsorts(make: Maker) -> Iterator[Sample]:
    yield sample(make.distinct(7))
    yield sample(make.distinct(3, 4), 0, True)
    yield sample(make(40, low=0, high=4), stable=True)


def topks(make: Maker) -> Iterator[Sample]:
    yield sample(make.distinct(7), 3)
    yield sample(make.distinct(5, 9), 4, 1, False)
    yield sample(make.distinct(9, 5), 2, 0, True, True)
    yield sample(make.distinct(100), 100)
    yield sample(make.distinct(4), 0)
    yield sample(make.distinct(), 1)


def softmaxes(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        for dim in range(max(tensor.dim(), 1)):
            yield sample(tensor, dim)
    yield sample(make(9, 70), -1)
    yield sample(make(9, 70), 0, dtype=torch.float64)


def halves(make: Maker) -> Iterator[Sample]:
    yield sample(make(9, 70), 1, False)
    yield sample(make(3, 4, 5), 1, False)


def axis_of(function):
    """Call a NumPy reduction with torch's positional arguments; dtype= is compared with the peer."""

    def reference(array, dim=None, keepdim=False, **kwargs):
        if np.ndim(array) == 0:
            dim = None
        return function(array, axis=dim, keepdims=keepdim, **kwargs)

    return reference


def correct(function):
    def reference(array, dim=None, unbiased=True, correction=None, keepdim=False):
        ddof = correction if correction is not None else int(unbiased)
        return function(array, axis=dim, ddof=ddof, keepdims=keepdim)

    return reference


def soft(function):
    """Return SciPy's softmax or log_softmax, extended to empty arrays."""

    def reference(array, dim, **_):
        return function(array, axis=dim if np.ndim(array) else None) if np.size(array) else array

    return reference


REDUCTIONS = [
    Operator("sum", dtyped, ALL, variant="dtype"),
    Operator("prod", dtyped, ALL, variant="dtype"),
    Operator("sum", dims(), ALL, reference=axis_of(np.sum)),
    Operator("mean", dims(), ANY_FLOAT + COMPLEX, reference=axis_of(np.mean)),
    Operator("mean", dtyped, ("int32", "float32"), variant="dtype"),
    Operator(
        "prod",
        dims(lists=False, low=-1, high=2),
        ALL,
        reference=axis_of(np.prod),
        low_tolerance=SUMS,
    ),
    Operator("amax", dims(nonempty=True), BOOL_REAL, reference=axis_of(np.amax)),
    Operator("amin", dims(nonempty=True), BOOL_REAL, reference=axis_of(np.amin)),
    Operator("max", both(arg_ordered, pairwise), REAL),
    Operator("min", both(arg_ordered, pairwise), REAL),
    Operator("argmax", arg_ordered, REAL),
    Operator("argmin", arg_ordered, REAL),
    Operator("any", dims(), ALL, reference=axis_of(np.any)),
    Operator("all", dims(), ALL, reference=axis_of(np.all)),
    Operator("var", variances, ANY_FLOAT + COMPLEX, reference=correct(np.var)),
    Operator("std", variances, ANY_FLOAT + COMPLEX, reference=correct(np.std)),
    Operator("var_mean", variances, ANY_FLOAT, method=False),
    Operator("norm", norms, ANY_FLOAT + COMPLEX),
    Operator(
        "linalg_vector_norm",
        vector_norms,
        FLOATS + COMPLEX,
        call=torch._C._linalg.linalg_vector_norm,
        method=False,
    ),
    Operator(
        "logsumexp",
        dims(whole=False),
        ANY_FLOAT,
        reference=lambda x, dim, keepdim=False: scipy_special("logsumexp")(
            x, axis=dim if np.ndim(x) else None, keepdims=keepdim
        ),
    ),
    Operator(
        "count_nonzero", counts, ALL, reference=lambda x, dim=None: np.count_nonzero(x, axis=dim)
    ),
]

SCANS = [
    Operator("cumsum", scans, ALL, in_place=False),
    Operator("cumprod", scans, ALL, in_place=False),
    Operator("cummax", runs, REAL, covers=("cummaxmin_backward",)),
    Operator("cummin", runs, REAL),
    Operator("logcumsumexp", runs, FLOATS),
]

ORDER = [
    Operator("sort", sorts, REAL),
    Operator("argsort", argsorts, REAL),
    Operator("topk", topks, REAL),
]


def _of_weights(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), -1)
    yield sample(make(2, 3, 2), 1)
    yield sample(torch.full_like(make(2, 2), -torch.inf), 0)  # a row of 0, not NaN


SOFT = [
    Operator(
        "_safe_softmax",
        _of_weights,
        FLOATS,
        call=torch.ops.aten._safe_softmax,
        method=False,
        meta=False,
        tolerance=(1e-5, 1e-5),
    ),
    Operator(
        "softmax",
        softmaxes,
        FLOATS,
        reference=soft(scipy_special("softmax")),
        tolerance=(1e-5, 1e-5),
    ),
    Operator(
        "log_softmax",
        softmaxes,
        FLOATS,
        reference=soft(scipy_special("log_softmax")),
        tolerance=(1e-5, 1e-5),
        low_tolerance=SUMS,
    ),
    Operator("_softmax", halves, ANY_FLOAT, method=False),
    Operator("_log_softmax", halves, ANY_FLOAT, method=False),
]

TABLE = REDUCTIONS + SCANS + ORDER + SOFT
