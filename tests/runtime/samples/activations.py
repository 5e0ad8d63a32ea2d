"""Samples of the activations and of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .backward import of_input, pairs
from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample

ANY_FLOAT = FLOATS + LOW_FLOATS
aten = torch.ops.aten
nn = torch._C._nn
LOW = (2e-2, 2e-2)


def values(*choices: tuple[Any, ...], extremal: bool = True):
    """Return samples of every layout with each choice of arguments, and of extreme values."""

    def samples(make: Maker) -> Iterator[Sample]:
        for choice in choices or ((),):
            for each in make.layouts():
                yield Sample((each, *choice))
            if extremal:
                yield Sample((make.extremal(), *choice))

    return samples


def halved(make: Maker) -> Iterator[Sample]:
    yield Sample((make(4, 6),))
    yield Sample((make(4, 6), 0))
    yield Sample((make(2, 3, 8), -1))
    yield Sample((make(6, 4).t(), 1))
    yield Sample((make(0, 4),))


def halved_gradients(make: Maker) -> Iterator[Sample]:
    yield Sample((make(4, 3), make(4, 6), 1))
    yield Sample((make(2, 6), make(4, 6), 0))
    yield Sample((make(3, 4).t(), make(4, 6), 1))


def elu_gradients(make: Maker) -> Iterator[Sample]:
    for grad, value in pairs(make):
        yield Sample((grad, 1.5, 1.1, 0.9, False, value))
        yield Sample((grad, 1.5, 1.1, 0.9, True, value.clamp(min=-1.6)))


def log_sigmoid_gradients(make: Maker) -> Iterator[Sample]:
    for grad, value in pairs(make):
        yield Sample((grad, value, torch.exp(-value.abs())))


def activation(name: str, *choices: tuple[Any, ...], **kwargs: Any) -> Operator:
    call: Callable[..., Any] = getattr(nn, name, None) or getattr(torch, name)
    kwargs.setdefault("low_tolerance", LOW)
    return Operator(name, values(*choices), ANY_FLOAT, call, method=False, **kwargs)


def gradient(name: str, *arguments: Any, **kwargs: Any) -> Operator:
    call = getattr(aten, name)
    return Operator(name, of_input(*arguments), FLOATS, call, method=False, **kwargs)


FORWARD = [
    activation("silu"),
    activation("mish"),
    activation("elu", (), (0.5,)),
    activation("selu"),
    activation("celu", (), (1.5,)),
    activation("relu6"),
    activation("leaky_relu", (), (0.2,)),
    activation("hardtanh", (), (-2, 0.5)),
    activation("hardsigmoid"),
    activation("hardswish"),
    activation("softplus", (), (2, 5)),
    activation("softshrink", (), (1.5,)),
    activation("log_sigmoid", covers=("log_sigmoid_forward",)),
    Operator("glu", halved, FLOATS, nn.glu, method=False),
]

BACKWARD = [
    gradient("silu_backward"),
    gradient("mish_backward"),
    Operator("elu_backward", elu_gradients, FLOATS, aten.elu_backward, method=False),
    gradient("leaky_relu_backward", 0.2, False),
    gradient("hardtanh_backward", -1, 2),
    gradient("hardsigmoid_backward"),
    gradient("hardswish_backward"),
    gradient("softplus_backward", 2, 5),
    gradient("softshrink_backward", 1.5),
    Operator(
        "log_sigmoid_backward",
        log_sigmoid_gradients,
        FLOATS,
        aten.log_sigmoid_backward,
        method=False,
    ),
    Operator(
        "glu_backward", halved_gradients, FLOATS, aten.glu_backward, method=False, low_tolerance=LOW
    ),
]

TABLE = [*FORWARD, *BACKWARD]
