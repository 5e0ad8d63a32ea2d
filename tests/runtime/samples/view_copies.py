"""Samples of operators that copy a view, and of those that copy a tensor with a view replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from .model import COMPLEX, FLOATS, Maker, Operator, Sample, sample
from .shapes import SOME, VIEWS, each

_COPIED = (
    *("alias", "as_strided", "detach", "diagonal", "expand", "lift_fresh", "permute", "select"),
    *("slice", "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unfold"),
    *("unsqueeze", "view", "view_as_complex", "view_as_real"),
)


def _reshapes(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 6), (3, 4), (4, 1))
    yield sample(make(4), (2, 2), (2, 1))


def _call(name: str):
    return getattr(torch, name, None) or getattr(torch.ops.aten, name)


def _copy(row: Operator) -> Operator:
    name = f"{row.name}_copy"
    kinds = {"split": int, "view": tuple}  # methods take more than the operators
    return replace(
        row,
        name=name,
        samples=_chosen(row.samples, kinds[row.title]) if row.title in kinds else row.samples,
        call=lambda *args, **kwargs: _call(name)(*args, **kwargs),
        method=False,
        view=False,
        in_place=False,
        reference=None,
    )


def _chosen(samples, kind: type):
    """Return the samples whose second argument has a type."""

    def chosen(make: Maker) -> Iterator[Sample]:
        for each_sample in samples(make):
            if isinstance(each_sample.args[1], kind):
                yield each_sample

    return chosen


def _contiguous(*cases):
    """Return samples from (shape of the tensor, shape of its part, arguments...)."""

    def samples(make: Maker) -> Iterator[Sample]:
        for shape, part, *arguments in cases:
            yield sample(make(*shape), make(*part), *arguments)

    return samples


def _scatters(*cases):
    """Like `_contiguous`, with tensors that are not contiguous too."""

    def samples(make: Maker) -> Iterator[Sample]:
        yield from _contiguous(*cases)(make)
        for shape, part, *arguments in cases:
            if len(shape) > 1:
                turned = make(*reversed(shape)).permute(*reversed(range(len(shape))))
                yield sample(turned, make(*part), *arguments)

    return samples


def _scatter(name: str, *cases) -> Operator:
    return Operator(name, _scatters(*cases), SOME, method=True)


def _seeded_normal(*args):
    torch.manual_seed(5)
    return torch.ops.aten.normal_functional(*args)


def _tensors(make: Maker) -> Iterator[Sample]:
    for tensor in make.layouts():
        yield sample(tensor)


TABLE = [
    Operator("_conj_copy", _tensors, COMPLEX, method=False),
    Operator("_neg_view_copy", _tensors, (*FLOATS, *COMPLEX, "int32"), method=False),
    *(_copy(row) for row in VIEWS if row.name in _COPIED),
    Operator(
        "_reshape_alias_copy",
        _reshapes,
        SOME,
        call=lambda *args: _call("_reshape_alias_copy")(*args),
        method=False,
    ),
    _scatter(
        "slice_scatter",
        ((7,), (2,), 0, 1, 5, 2),
        ((3, 6), (3, 4), 1, None, -2, 1),
        ((4, 2), (4, 2)),
    ),
    _scatter("select_scatter", ((5, 3), (3,), 0, 2), ((5, 3), (5,), 1, -1)),
    _scatter("diagonal_scatter", ((4, 5), (4,)), ((4, 5), (4,), 1), ((2, 3, 4), (4, 2), 0, 1, 0)),
    # Contiguous, because what as_strided reads depends on the layout, which vmap changes.
    Operator(
        "as_strided_scatter",
        _contiguous(((12,), (3, 2), (3, 2), (4, 1)), ((3, 4), (2,), (2,), (5,), 1)),
        SOME,
    ),
    Operator(
        "normal_functional",
        each(((20, 30),), ((20, 30), 1.0, 0.5)),
        ("float32", "float64"),
        call=_seeded_normal,
        method=False,
        random=True,
        tolerance=(1e-5, 1e-6),
    ),
]
