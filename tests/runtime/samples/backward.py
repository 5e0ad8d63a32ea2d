"""Samples of the operators that compute gradients, and of a few related operators."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .creation import in_place
from .model import COMPLEX, FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

ANY_FLOAT = FLOATS + LOW_FLOATS
aten = torch.ops.aten
nn = torch.nn.functional


def pairs(make: Maker, **bounds: float) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Return gradients with their tensors: contiguous, strided, empty and zero-dimensional."""
    for shape in ((4, 5), (67,), (0,), ()):
        yield make(*shape), make(*shape, **bounds)
    yield make(5, 4).t(), make(4, 5, **bounds)
    yield make(4, 5), make(8, 10, **bounds)[::2, ::2]


def of_output(make: Maker) -> Iterator[Sample]:
    for grad, output in pairs(make, low=-0.95, high=0.95):
        yield sample(grad, output)


def of_input(*args: object, **kwargs: object):
    def samples(make: Maker) -> Iterator[Sample]:
        for grad, value in pairs(make):
            yield Sample((grad, value, *args), kwargs)

    return samples


def softmax_gradients(make: Maker) -> Iterator[Sample]:
    dtype = getattr(torch, make.dtype)
    for shape, dim in (((4, 5), 1), ((4, 5), 0), ((2, 70, 3), 1), ((3, 100), -1), ((0, 3), 1)):
        yield sample(make(*shape), make(*shape, low=0, high=1), dim, dtype)
    yield sample(make(5, 4).t(), make(4, 5, low=0, high=1), 1, dtype)


def log_softmax_gradients(make: Maker) -> Iterator[Sample]:
    for each in softmax_gradients(make):
        grad, output, dim, dtype = each.args
        yield sample(grad, -3 * output, dim, dtype)


def class_gradients(make: Maker) -> Iterator[Sample]:
    total = make(low=3, high=9)
    for reduction, shape in ((0, (5,)), (1, ()), (2, ())):
        grad = make(*shape)
        weight = make(4, low=0.5, high=2)
        yield sample(
            grad, make(5, 4), make.indices(5, high=4), weight, reduction, -100, total.clone()
        )
        yield sample(grad, make(5, 4), make.indices(5, high=4), None, reduction, 1, total.clone())


def class_gradients_2d(make: Maker) -> Iterator[Sample]:
    total = make(low=3, high=9)
    for reduction, shape in ((0, (2, 3, 3)), (1, ()), (2, ())):
        grad = make(*shape)
        target = make.indices(2, 3, 3, high=4)
        weight = make(4, low=0.5, high=2)
        yield sample(grad, make(2, 4, 3, 3), target, weight, reduction, -100, total.clone())
        yield sample(grad, make(2, 4, 3, 3), target, None, reduction, 1, total.clone())


def embedding_gradients(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 3), make.indices(4, high=10), 10, -1, False)
    yield sample(make(2, 5, 3), make.indices(2, 5, high=10), 10, 2, False)
    if make.is_float:
        yield sample(make(6, 70), make.indices(6, high=3), 4, -1, True)
    yield sample(make(0, 3), make.indices(0, high=10), 10, -1, False)


def selections(make: Maker) -> Iterator[Sample]:
    yield sample(make(4), [3, 4], 0, 1)
    yield sample(make(3), [3, 4], -1, -2)


def slices(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 4), [5, 4], 0, 1, 5, 2)
    yield sample(make(3, 2), [3, 4], 1, -2, 9, 1)


def diagonals(make: Maker) -> Iterator[Sample]:
    yield sample(make(3), [3, 4], 0, 0, 1)
    yield sample(make(2, 3), [3, 2, 4], 1, 0, 2)


def windows(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 3, 2), [5, 3], 0, 2, 1)
    yield sample(make(3, 2, 3), [3, 8], 1, 3, 4)
    yield sample(make(3, 3, 3), [3, 8], 1, 3, 2)


def chosen_rows(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 3), [5, 3], 0, make.indices(4, high=5))
    yield sample(make(2, 4), [2, 3], 1, make.indices(4, high=3))


def gathered(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3), make(4, 3), 0, make.indices(2, 3, high=4), False)


def masked(make: Maker) -> Iterator[Sample]:
    mask = torch.tensor([[True, False, True], [False, True, True]])
    yield sample(make(4), make(2, 3), mask)
    yield sample(make(8), make(4, 3), torch.tensor([True, False, True]))


def selected_values(make: Maker) -> Iterator[Sample]:
    yield sample(make(3), 1, make.indices(3, high=4), [3, 4], False)
    yield sample(make(3, 1), 1, make.indices(3, 1, high=4), [3, 4], True)
    yield sample(make(), 0, make.indices(high=1), [], False)


def values(make: Maker) -> Iterator[Sample]:
    for each in make.layouts():
        yield sample(each)


def contiguous(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5))
    yield sample(make())


def thresholds(make: Maker) -> Iterator[Sample]:
    for each in make.layouts():
        yield sample(each, 1, 3)
    if make.is_float:
        yield sample(make.extremal(), 0.5, -2.5)


def shrinks(make: Maker) -> Iterator[Sample]:
    for each in make.layouts():
        yield sample(each)
        yield sample(each, 2.0)
    yield sample(make.extremal())


def slopes(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), make(5))
    yield sample(make(4, 5), make(1))
    yield sample(make(2, 3, 4), make(3))
    yield sample(make(7), make(1))
    yield sample(make(), make())
    yield sample(make(5, 4).t(), make(5))


def kernel_slopes(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), make(1, 5))
    yield sample(make(4, 5), make(4, 5))


def kernel_slope_gradients(make: Maker) -> Iterator[Sample]:
    for each in kernel_slopes(make):
        yield sample(make(4, 5), *each.args)


def logarithms(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5), make(4, 5, low=0.5, high=4))
    yield sample(make(4, 5), make(5, low=0.5, high=4))
    if make.is_float:
        edge = torch.tensor([0.0, 0.0, 0.0, 1.0, float("nan")])
        other = torch.tensor([0.0, float("nan"), -1.0, 0.0, 1.0])
        dtype = getattr(torch, make.dtype)
        yield sample(edge.to(dtype), other.to(dtype))


GRADIENTS = [
    Operator("sigmoid_backward", of_output, FLOATS + COMPLEX, aten.sigmoid_backward, method=False),
    Operator("tanh_backward", of_output, FLOATS + COMPLEX, aten.tanh_backward, method=False),
    Operator("threshold_backward", of_input(1), ANY_FLOAT, aten.threshold_backward, method=False),
    Operator("gelu_backward", of_input(), FLOATS, aten.gelu_backward, method=False),
    Operator(
        "gelu_backward",
        of_input(approximate="tanh"),
        FLOATS,
        aten.gelu_backward,
        method=False,
        variant="tanh",
    ),
    Operator(
        "hardshrink_backward", of_input(0.5), ANY_FLOAT, aten.hardshrink_backward, method=False
    ),
    Operator(
        "_softmax_backward_data",
        softmax_gradients,
        FLOATS,
        aten._softmax_backward_data,
        method=False,
    ),
    Operator(
        "_log_softmax_backward_data",
        log_softmax_gradients,
        FLOATS,
        aten._log_softmax_backward_data,
        method=False,
    ),
    Operator("nll_loss_backward", class_gradients, FLOATS, aten.nll_loss_backward, method=False),
    Operator(
        "nll_loss2d_backward", class_gradients_2d, FLOATS, aten.nll_loss2d_backward, method=False
    ),
    Operator(
        "embedding_dense_backward",
        embedding_gradients,
        FLOATS,
        aten.embedding_dense_backward,
        method=False,
        low_tolerance=(1e-2, 1e-2),
    ),
    Operator(
        "embedding_backward",
        lambda make: (Sample((*s.args, False)) for s in embedding_gradients(make)),
        FLOATS,
        aten.embedding_backward,
        method=False,
        low_tolerance=(1e-2, 1e-2),
    ),
    Operator("select_backward", selections, FLOATS, aten.select_backward, method=False),
    Operator("slice_backward", slices, FLOATS, aten.slice_backward, method=False),
    Operator("diagonal_backward", diagonals, FLOATS, aten.diagonal_backward, method=False),
    Operator("unfold_backward", windows, FLOATS, aten.unfold_backward, method=False),
    Operator(
        "index_select_backward", chosen_rows, FLOATS, aten.index_select_backward, method=False
    ),
    Operator("gather_backward", gathered, FLOATS, aten.gather_backward, method=False),
    Operator(
        "masked_select_backward",
        masked,
        FLOATS,
        aten.masked_select_backward,
        method=False,
        meta=False,
    ),
    Operator(
        "value_selecting_reduction_backward",
        selected_values,
        FLOATS,
        aten.value_selecting_reduction_backward,
        method=False,
    ),
    Operator(
        "_prelu_kernel_backward",
        kernel_slope_gradients,
        ANY_FLOAT,
        aten._prelu_kernel_backward,
        method=False,
    ),
]


def within_one(make: Maker) -> Iterator[Sample]:
    for each in make.layouts(low=-0.999, high=0.999):
        yield sample(each)
    edge = torch.tensor([-1.0, 1.0, 2.0, float("nan"), 0.0, 1e-7, 0.9999999])
    yield sample(edge.to(getattr(torch, make.dtype)))


def copies(make: Maker) -> Iterator[Sample]:
    yield sample(make(5, 3), 0, torch.tensor([0, 4, 2]), make(3, 3))
    yield sample(make(3, 5), -1, torch.tensor([1]), make(3, 1))
    yield sample(make(5, 3).t(), 1, torch.tensor([3, 0]), make(3, 2))
    yield sample(make(), 0, torch.tensor([0]), make())


def exponentials(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 5))
    yield sample(make(7), 2.5)


def moves(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4), 0, 2)
    yield sample(make(2, 3, 4), (0, -1), (1, 0))
    yield sample(make(2, 3, 4), (), ())


def shuffles(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 8, 3, 5), 2)
    yield sample(make(9, 2, 2), 3)


def unshuffles(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4, 6), 2)
    yield sample(make(1, 6, 3), 3)


OTHERS = [
    Operator("erfinv", within_one, FLOATS, in_place=True, out=True),
    Operator("movedim", moves, FLOATS, view=True),
    Operator("square", values, FLOATS + COMPLEX, in_place=True, out=True),
    Operator("index_copy", copies, FLOATS + COMPLEX, in_place=True, out=True),
    Operator("exponential", exponentials, ANY_FLOAT, in_place("exponential_"), random=True),
    Operator("pixel_shuffle", shuffles, FLOATS, method=False),
    Operator("pixel_unshuffle", unshuffles, FLOATS, method=False),
    Operator("threshold", thresholds, (*ANY_FLOAT, "int32", "int64"), out=True),
    Operator("hardshrink", shrinks, ANY_FLOAT, out=True),
    Operator("prelu", slopes, ANY_FLOAT),
    Operator("_prelu_kernel", kernel_slopes, ANY_FLOAT, aten._prelu_kernel, method=False),
    Operator("xlogy", logarithms, FLOATS, in_place=True, out=True),
    Operator("sgn", values, ANY_FLOAT + COMPLEX + ("int64",), in_place=True, out=True),
    Operator("conj_physical", values, FLOATS + COMPLEX, in_place=True, out=True),
    Operator("_conj_physical", values, FLOATS + COMPLEX, aten._conj_physical, method=False),
    Operator("conj", contiguous, FLOATS + COMPLEX, view=True),
    Operator("_conj", values, COMPLEX, view=True),
    Operator("resolve_conj", values, FLOATS + COMPLEX, view=True),
    Operator("is_conj", values, FLOATS + COMPLEX, meta=False),
    Operator("_neg_view", values, FLOATS + COMPLEX + ("int32",), view=True),
    Operator("resolve_neg", values, FLOATS + COMPLEX, view=True),
    Operator("is_neg", values, FLOATS + COMPLEX, meta=False),
]

TABLE = [*GRADIENTS, *OTHERS]
