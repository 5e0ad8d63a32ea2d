"""Samples of operators that read and write at indices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import torch

from .model import ALL, FLOATS, REAL, Maker, Operator, Sample, sample

SOME = ("bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64", "complex64")


def fancy(make: Maker) -> Iterator[Sample]:
    """Return lists of index tensors and None, the arguments of aten::index."""
    yield sample(make(5, 4), [make.indices(3, high=5)])
    yield sample(make(5, 4), [make.indices(3, low=-5, high=5)])
    yield sample(make(5, 4), [None, make.indices(2, 3, high=4)])
    yield sample(make(5, 4), [make.indices(3, high=5), make.indices(3, high=4)])
    yield sample(make(5, 4), [make.indices(3, 1, high=5), make.indices(2, high=4)])
    yield sample(make(5, 4, 3), [make.indices(2, high=5), None, make.indices(2, high=3)])
    yield sample(make(4, 5).t(), [make.indices(6, high=5)])
    yield sample(make(5, 4), [make(5, 4, dtype="bool")])
    yield sample(make(5, 4), [make(5, dtype="bool")])
    yield sample(make(5, 4), [None, make(4, dtype="bool")])
    yield sample(make(5, 4), [make.indices(0, high=5)])
    yield sample(make(300, 7), [make.indices(900, high=300)])


def puts(accumulate: bool):
    def samples(make: Maker) -> Iterator[Sample]:
        for each in fancy(make):
            self, indices = each.args
            target = torch.ops.aten.index(self, indices)
            if accumulate or target.numel() == 0:
                yield sample(self, indices, make(*target.shape), accumulate)
            yield sample(self, indices, make(), accumulate)

    return samples


def integer_places(samples: Any) -> Any:
    """Return those samples whose indices are integers."""

    def chosen(make: Maker) -> Iterator[Sample]:
        for each in samples(make):
            if all(index is None or index.dtype == torch.int64 for index in each.args[1]):
                yield each

    return chosen


def masked_places(make: Maker) -> Iterator[Sample]:
    """Return indices of which a mask keeps some; the others may be anywhere."""
    yield sample(make(5), torch.tensor([True, False, True]), [torch.tensor([0, 9, 4])], 0.5)
    yield sample(
        make(5, 4), torch.tensor([False, True]), [torch.tensor([7, 1]), torch.tensor([2, -3])], 2
    )


def masked_sums(make: Maker) -> Iterator[Sample]:
    for each in masked_places(make):
        self, mask, indices, _ = each.args
        target = torch.ops.aten.index(self, [index.clamp(0, 3) for index in indices])
        yield sample(self, mask, indices, make(*target.shape))


def rows(make: Maker) -> Iterator[Sample]:
    yield sample(make(5, 4), 0, make.indices(3, high=5))
    yield sample(make(5, 4), 1, make.indices(7, high=4))
    yield sample(make(4, 5).t(), -1, make.indices(2, high=4))
    yield sample(make(6), 0, make.indices(4, high=6).to(torch.int32))
    yield sample(make(5, 0), 0, make.indices(3, high=5))
    yield sample(make(), 0, make.indices(1, high=1))


def row_sums(make: Maker) -> Iterator[Sample]:
    yield sample(make(5, 4), 0, make.indices(3, high=5), make(3, 4))
    yield sample(make(5, 4), 1, make.indices(7, high=4), make(5, 7), alpha=2)
    yield sample(make(6), 0, make.indices(9, high=6), make(9))


def row_reductions(make: Maker) -> Iterator[Sample]:
    for reduce in ("prod", "mean", "amax", "amin"):
        for include in (True, False):
            index = make.indices(4, high=3)
            start, source = make(3, 5, low=1, high=4), make(4, 5, low=1, high=4)
            yield sample(start, 0, index, source, reduce, include_self=include)
            yield sample(start.t(), -1, index, source.t(), reduce, include_self=include)
            index = make.indices(6, high=5).to(torch.int32)
            yield sample(make(5), 0, index, make(6, low=1, high=3), reduce, include_self=include)
        yield sample(make(3, 5), 0, make.indices(0, high=3), make(0, 5), reduce)
        yield sample(make(), 0, torch.tensor(0), make(), reduce)


def gathers(make: Maker) -> Iterator[Sample]:
    yield sample(make(5, 4), 0, make.indices(3, 4, high=5))
    yield sample(make(5, 4), 1, make.indices(5, 9, high=4))
    yield sample(make(4, 5).t(), 1, make.indices(2, 3, high=4))
    yield sample(make(2, 3, 4), -1, make.indices(2, 3, 2, high=4))
    yield sample(make(4), 0, make.indices(0, high=4))
    yield sample(make(), 0, make.indices(1, high=1))
    yield sample(make(2000), 0, make.indices(5000, high=2000))


def permuted(make: Maker, size: int, count: int) -> torch.Tensor:
    return torch.from_numpy(make.random.permutation(size)[:count].copy())


def scatters(make: Maker) -> Iterator[Sample]:
    """Return distinct indices, since the result with equal ones is not determined."""
    yield sample(make(6), 0, permuted(make, 6, 4), make(4))
    yield sample(make(6), 0, permuted(make, 6, 6), 3)
    index = torch.stack([permuted(make, 5, 3) for _ in range(4)], 1)
    yield sample(make(5, 4), 0, index, make(3, 4))
    yield sample(make(4, 5).t(), 0, index, make(3, 4))
    yield sample(make(4, 5), 1, index.t(), 2)
    yield sample(make(3), 0, make.indices(0, high=3), make(0))


def reduced(make: Maker) -> Iterator[Sample]:
    yield sample(make(6), 0, permuted(make, 6, 4), make(4), reduce="add")
    yield sample(make(6), 0, permuted(make, 6, 4), make(4), reduce="multiply")
    yield sample(make(6), 0, permuted(make, 6, 4), 2, reduce="add")


def scatter_sums(make: Maker) -> Iterator[Sample]:
    for each in gathers(make):
        tensor, dim, index = each.args
        yield sample(tensor, dim, index, make(*index.shape))


def masked(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        if tensor.numel() == 0 or 0 not in tensor.stride():
            yield sample(tensor, make(*tensor.shape, dtype="bool"), 1)
    yield sample(make(4, 5), make(5, dtype="bool"), 2)
    yield sample(make(4, 5), make(4, 1, dtype="bool"), torch.tensor(1))


def selected(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor, make(*tensor.shape, dtype="bool"))
    yield sample(make(4, 5), make(5, dtype="bool"))
    yield sample(make(5), make(4, 1, dtype="bool"))
    yield sample(make(100, 100), make(100, 100, dtype="bool"))


def sparse_values(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts(low=0, high=2):
        yield sample(tensor)
    yield sample(make(70, 90, low=0, high=2))


def subscripts(make: Maker) -> Iterator[Sample]:
    """Return samples of all forms of Python indexing."""
    index = make.indices(3, high=4)
    keys: list[Any] = [
        0,
        -1,
        slice(1, 3),
        slice(None, None, 2),
        None,
        Ellipsis,
        (),
        (0, 1),
        (slice(None), 2),
        (Ellipsis, 1),
        (None, 0),
        (0, Ellipsis, None),
        True,
        False,
        index,
        [0, 2],
        (index, 1),
        (slice(None), index),
        (index, slice(1, 4)),
        (index, None, index),
        ([0, 1], [1, 2]),
        [[0], [1]],
        (Ellipsis, index),
        (slice(0, 2), index, slice(None)),
        torch.tensor(2),
        (torch.tensor(1), 0),
        (None, index),
        slice(2, 2),
        (slice(3, 1), 0),
        (index, Ellipsis, index),
    ]
    for key in keys:
        yield sample(make(4, 5, 4), key)
    mask = make(4, 5, dtype="bool")
    for key in (
        mask,
        (mask, 1),
        (mask, slice(1, 3)),
        make(4, dtype="bool"),
        make(4, 5, 4, dtype="bool"),
    ):
        yield sample(make(4, 5, 4), key)


def assignments(make: Maker) -> Iterator[Sample]:
    for each in subscripts(make):
        tensor, key = each.args
        yield sample(tensor, key, 1)
        if isinstance(key, int | slice):
            yield sample(tensor, key, make(*tensor[key].shape))
    yield sample(make(4, 5), (slice(None), slice(1, 3)), make(4, 1))


def assign(tensor: torch.Tensor, key: Any, value: Any) -> torch.Tensor:
    result = tensor.clone()
    result[key] = value
    return result


TABLE = [
    Operator("index", fancy, SOME, call=torch.ops.aten.index, method=False, meta=False),
    Operator(
        "index",
        subscripts,
        SOME,
        call=lambda t, k: t[k],
        method=False,
        meta=False,
        variant="getitem",
    ),
    Operator(
        "index_put",
        puts(False),
        SOME,
        call=torch.ops.aten.index_put,
        method=False,
        meta=False,
        covers=("_index_put_impl",),
    ),
    Operator(
        "_unsafe_index",
        integer_places(fancy),
        SOME,
        call=torch.ops.aten._unsafe_index.Tensor,
        method=False,
        meta=False,
    ),
    Operator(
        "_unsafe_index_put",
        integer_places(puts(False)),
        SOME,
        call=torch.ops.aten._unsafe_index_put,
        method=False,
        meta=False,
    ),
    Operator(
        "_unsafe_masked_index",
        masked_places,
        FLOATS,
        call=torch.ops.aten._unsafe_masked_index,
        method=False,
        meta=False,
    ),
    Operator(
        "_unsafe_masked_index_put_accumulate",
        masked_sums,
        FLOATS,
        call=torch.ops.aten._unsafe_masked_index_put_accumulate,
        method=False,
        meta=False,
    ),
    Operator(
        "index_put",
        puts(True),
        SOME[1:],
        call=torch.ops.aten.index_put,
        method=False,
        meta=False,
        low_tolerance=(2e-2, 6e-2),  # the order of 16-bit sums differs between devices
        variant="accumulate",
    ),
    Operator(
        "index_put", assignments, SOME, call=assign, method=False, meta=False, variant="setitem"
    ),
    Operator(
        "index_select",
        rows,
        ALL,
        reference=lambda x, d, i: np.take(x, np.asarray(i).astype("int64"), d) if np.ndim(x) else x,
        out=True,
    ),
    Operator(
        "index_add",
        row_sums,
        ALL,
        in_place=True,
        low_tolerance=(2e-2, 6e-2),  # the order of 16-bit sums differs between devices
    ),
    Operator(
        "index_reduce",
        row_reductions,
        REAL,
        in_place=True,
        out=True,
        low_tolerance=(5e-2, 1e-2),  # 16-bit sums and products are rounded once
    ),
    Operator("gather", gathers, ALL, out=True),
    Operator("scatter", scatters, ALL, in_place=True),
    Operator("scatter", reduced, REAL, variant="reduce"),
    Operator("scatter_add", scatter_sums, ALL, in_place=True),
    Operator(
        "masked_fill",
        masked,
        ALL,
        in_place=True,
        reference=lambda x, m, v: np.where(m, np.asarray(v).astype(np.asarray(x).dtype), x),
    ),
    Operator("masked_select", selected, ALL, meta=False),
    Operator("nonzero", sparse_values, ALL, meta=False, out=True),
    Operator(
        "nonzero_numpy",
        sparse_values,
        ALL,
        call=lambda x: torch.nonzero(x, as_tuple=True),
        method=False,
        meta=False,
    ),
]
