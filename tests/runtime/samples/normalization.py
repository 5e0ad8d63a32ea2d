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
    """Return substitutes for the mean and 1 / std of rows over the last `dims` dimensions."""
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
    if make.is_float:  # PyTorch refuses other dtypes with another exception
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
    """Return batch_norm as a function that also returns the updated running statistics."""
    return (torch.batch_norm(*args), *(each.clone() for each in args[3:5] if each is not None))


def given_statistics(make: Maker) -> Iterator[Sample]:
    for each in batch_norms(make):
        if each.args[3] is not None:
            yield each


def updating(make: Maker) -> Iterator[Sample]:
    for each in given_statistics(make):
        if each.args[5] is True:
            yield Sample((*each.args[:5], *each.args[6:]), {})


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


def group_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 6, 4, 5), 3)
    yield sample(make(2, 6, 4, 5), 2, make(6), make(6))
    yield sample(make(3, 4), 2, make(4), None, 1e-3)
    yield sample(make(2, 7, 4).transpose(1, 2), 4)
    yield sample(make(2, 4, 5, 6).permute(0, 3, 1, 2), 3, make(6), make(6))


def native_group_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 6, 4, 5), make(6), make(6), 2, 6, 20, 3, 1e-5)
    yield sample(make(2, 6), None, None, 2, 6, 1, 2, 1e-3)


def group_norm_gradients(make: Maker) -> Iterator[Sample]:
    def one(shape: tuple[int, ...], groups: int, weight: bool, mask: list[bool]) -> Sample:
        n, c, *_ = shape
        statistics = make(n, groups), make(n, groups, low=0.5, high=2)
        w = make(c) if weight else None
        each = make(*shape).numel() // (n * c)
        return sample(make(*shape), make(*shape), *statistics, w, n, c, each, groups, mask)

    yield one((2, 6, 4, 5), 3, True, ALL_THREE)
    yield one((2, 6, 4, 5), 2, False, [True, False, False])
    yield one((3, 4), 2, True, [False, True, True])


def rms_norms(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 8), (8,))
    yield sample(make(3, 8), (8,), make(8))
    yield sample(make(2, 3, 4), (3, 4), make(3, 4), 1e-3)
    yield sample(make(8, 3).t(), (8,), make(8))
    yield sample(make(2, 100), (100,))
    yield sample(make(0, 4), (4,))


def fused_rms_norms(make: Maker) -> Iterator[Sample]:
    if make.is_float:  # PyTorch composes it of other operators, so that it accepts more dtypes
        yield sample(make(3, 8), [8], make(8), 1e-5)
        yield sample(make(2, 3, 4), [3, 4], None, 1e-3)


def rms_norm_gradients(make: Maker) -> Iterator[Sample]:
    if not make.is_float:
        return
    yield sample(make(3, 8), make(3, 8), [8], make(3, 1), make(8), [True, True])
    yield sample(make(3, 8), make(3, 8), [8], make(3, 1), None, [True, False])


def composed_rms_gradient(
    grad: torch.Tensor,
    x: torch.Tensor,
    shape: list[int],
    rstd: torch.Tensor,
    weight: torch.Tensor | None,
    mask: list[bool],
) -> list[torch.Tensor | None]:
    """Compute the gradient by its formula, since PyTorch has no CPU kernel for it."""
    if "torchsmith" in torch.__version__:
        return list(aten._fused_rms_norm_backward(grad, x, shape, rstd, weight, mask))
    g = grad if weight is None else grad * weight
    z = x * rstd
    of_input = rstd * (g - z * (g * z).mean(-1, keepdim=True))
    return [of_input, None if weight is None else (grad * z).sum(0)]


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
    norm("_batch_norm_with_update", updating, aten._batch_norm_with_update, meta=False),
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
    norm("_batch_norm_impl_index", indexed, aten._batch_norm_impl_index, meta=False),
    norm(
        "_batch_norm_impl_index_backward",
        indexed_gradients,
        aten._batch_norm_impl_index_backward,
    ),
    norm("batch_norm", moved_statistics, torch.batch_norm),
    norm("batch_norm", moved_statistics, moving, variant="running"),
    norm("batch_norm_update_stats", updates, torch.batch_norm_update_stats),
    norm("group_norm", group_norms, torch.group_norm),
    norm("native_group_norm", native_group_norms, torch.native_group_norm),
    norm("native_group_norm_backward", group_norm_gradients, aten.native_group_norm_backward),
    norm("rms_norm", rms_norms, torch.rms_norm),
    norm("_fused_rms_norm", fused_rms_norms, aten._fused_rms_norm),
    norm("_fused_rms_norm_backward", rms_norm_gradients, composed_rms_gradient),
    norm("instance_norm", instance_norms, torch.instance_norm),
]
