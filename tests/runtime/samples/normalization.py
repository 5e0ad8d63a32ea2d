"""Samples of the normalizations."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

nn = torch.nn.functional
aten = torch.ops.aten
ANY_FLOAT = FLOATS + LOW_FLOATS
ALL_THREE = [True, True, True]


def layer_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 8), (8,))
    yield sample(make(3, 8), (8,), make(8), make(8))
    yield sample(make(2, 3, 4), (3, 4), make(3, 4), make(3, 4), 1e-3)
    yield sample(make(8, 3).t(), (8,), make(8))
    yield sample(make(2, 100), (100,))
    yield sample(make(0, 4), (4,))


def native_layer_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 8), (8,), make(8), make(8), 1e-5)
    yield sample(make(3, 8), (8,), None, None, 1e-5)


def row_statistics(make: Maker, x: torch.Tensor, dims: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Stand-ins for the mean and 1 / std of rows over the last `dims` dimensions."""
    shape = (*x.shape[:-dims], *(1,) * dims)
    return make(*shape), make(*shape, low=0.5, high=2)


def layer_norm_gradients(make: Maker) -> Iterator[Sample]:
    for shape, normalized in (((3, 8), [8]), ((2, 3, 4), [3, 4]), ((5, 100), [100]), ((0, 4), [4])):
        x, grad = make(*shape), make(*shape)
        statistics = row_statistics(make, x, len(normalized))
        parameters = make(*normalized), make(*normalized)
        yield sample(grad, x, normalized, *statistics, *parameters, ALL_THREE)
        yield sample(grad, x, normalized, *statistics, None, None, [True, False, False])
        yield sample(grad, x, normalized, *statistics, *parameters, [False, True, True])
    x = make(8, 3).t()
    parameters = make(8), make(8)
    yield sample(make(8, 3).t(), x, [8], *row_statistics(make, x, 1), *parameters, ALL_THREE)


def images(make: Maker) -> Iterator[torch.Tensor]:
    yield make(4, 3, 5, 6)
    yield make(7, 3)
    yield make(2, 3, 40)
    yield make(2, 5, 6, 3).permute(0, 3, 1, 2)
    if make.is_float:  # PyTorch takes another way to refuse other dtypes
        yield make(5, 3, 2, 6).permute(2, 1, 0, 3)


def batch_norms(make: Maker) -> Iterator[Sample]:
    for x in images(make):
        statistics = make(3), make(3, low=0.5, high=2)
        parameters = make(3), make(3)
        for train in (True, False):
            yield sample(x, *parameters, *statistics, train, 0.1, 1e-5)
        yield sample(x, None, None, *statistics, True, 0.3, 1e-3)
        yield sample(x, *parameters, None, None, True, 0.1, 1e-5)


def indexed(make: Maker) -> Iterator[Sample]:
    for each in batch_norms(make):
        yield Sample((*each.args, False), each.kwargs)


def moved_statistics(make: Maker) -> Iterator[Sample]:
    yield from indexed(make)
    yield sample(make(0, 3, 4, 4), make(3), make(3), make(3), make(3), True, 0.1, 1e-5, False)


def moving(*args: object) -> tuple[object, ...]:
    """batch_norm, with the running statistics after it."""
    return (torch.batch_norm(*args), *(each.clone() for each in args[3:5] if each is not None))


def given_statistics(make: Maker) -> Iterator[Sample]:
    for each in batch_norms(make):
        if each.args[3] is not None:
            yield each


def without_statistics(make: Maker) -> Iterator[Sample]:
    for each in batch_norms(make):
        yield Sample((*each.args[:3], True, *each.args[6:]), {})


def evaluated(make: Maker) -> Iterator[Sample]:
    for each in batch_norms(make):
        if each.args[3] is not None and each.args[5] is False:
            yield Sample((*each.args[:5], *each.args[6:]), {})


def batch_norm_gradients(make: Maker) -> Iterator[Sample]:
    for x in images(make):
        grad, weight = make(*x.shape), make(3)
        running = make(3), make(3, low=0.5, high=2)
        saved = make(3), make(3, low=0.5, high=2)
        yield sample(grad, x, weight, *running, *saved, True, 1e-5, ALL_THREE)
        yield sample(grad, x, weight, *running, *saved, False, 1e-5, ALL_THREE)
        yield sample(grad, x, None, None, None, *saved, True, 1e-5, [True, False, False])
        yield sample(grad, x, weight, None, None, *saved, True, 1e-5, [False, True, True])


def indexed_gradients(make: Maker) -> Iterator[Sample]:
    for each in batch_norm_gradients(make):
        grad, x, *rest = each.args
        yield sample(0, x, grad, *rest, torch.empty(0, dtype=torch.uint8))


def updates(make: Maker) -> Iterator[Sample]:
    for x in images(make):
        yield sample(x, make(3), make(3, low=0.5, high=2), 0.1)


def instance_norms(make: Maker) -> Iterator[Sample]:
    rest = (0.1, 1e-5, False)
    for x in (make(4, 3, 5, 6), make(2, 3, 40), make(2, 5, 6, 3).permute(0, 3, 1, 2)):
        statistics = make(3), make(3, low=0.5, high=2)
        yield sample(x, make(3), make(3), *statistics, True, *rest)
        yield sample(x, None, None, None, None, True, *rest)
        yield sample(x, make(3), make(3), *statistics, False, *rest)


LOOSE = (1e-4, 1e-4)
ROUGH = (5e-2, 2e-1)


def norm(name: str, samples: object, call: object = None, **rest: object) -> Operator:
    return Operator(
        name,
        samples,
        FLOATS,
        call=call,
        method=False,
        tolerance=LOOSE,
        low_tolerance=ROUGH,
        **rest,
    )


TABLE = [
    Operator("layer_norm", layer_norms, ANY_FLOAT, call=nn.layer_norm, method=False),
    Operator("native_layer_norm", native_layer_norms, FLOATS, method=False),
    norm("native_layer_norm_backward", layer_norm_gradients, aten.native_layer_norm_backward),
    norm("native_batch_norm", batch_norms),
    norm("native_batch_norm_backward", batch_norm_gradients, aten.native_batch_norm_backward),
    norm("_native_batch_norm_legit", given_statistics, aten._native_batch_norm_legit),
    norm(
        "_native_batch_norm_legit",
        without_statistics,
        aten._native_batch_norm_legit.no_stats,
        variant="no_stats",
    ),
    norm(
        "_native_batch_norm_legit_no_training",
        evaluated,
        aten._native_batch_norm_legit_no_training,
    ),
    norm("_batch_norm_impl_index", indexed, aten._batch_norm_impl_index),
    norm(
        "_batch_norm_impl_index_backward",
        indexed_gradients,
        aten._batch_norm_impl_index_backward,
    ),
    norm("batch_norm", moved_statistics, torch.batch_norm),
    norm("batch_norm", moved_statistics, moving, variant="running"),
    norm("batch_norm_update_stats", updates, torch.batch_norm_update_stats),
    norm("instance_norm", instance_norms, torch.instance_norm),
]
