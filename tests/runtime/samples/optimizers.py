"""Samples of the fused steps of optimizers, which write to their list arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .model import ALL, FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

SHAPES = ((3, 4), (), (67,), (0,), (2, 3, 5))


def written(name: str, lists: int) -> Callable[..., Any]:
    """Return the operator as a function that returns the first `lists` lists, which it writes."""

    def call(*args: Any, **kwargs: Any) -> list[torch.Tensor]:
        copies = [[tensor.clone() for tensor in tensors] for tensors in args]
        getattr(torch, name)(*copies, **kwargs)
        return [tensor for tensors in copies[:lists] for tensor in tensors]

    return call


def lists(m: Maker, count: int, steps: bool = False) -> list[list[torch.Tensor]]:
    """Return parameters, gradients and non-negative states; the last may be step numbers."""
    made = [[m(*shape) for shape in SHAPES] for _ in range(2)]
    made += [[m(*shape, low=0.1, high=2) for shape in SHAPES] for _ in range(count)]
    if steps:
        made.append([torch.tensor(float(number + 1)) for number in range(len(SHAPES))])
    return made


def not_in_half(samples: Callable[[Maker], Iterator[Sample]]) -> Callable[..., Iterator[Sample]]:
    """Skip 16-bit floats: PyTorch rounds within a step, and its vector loop is wrong."""

    def checked(m: Maker) -> Iterator[Sample]:
        if m.dtype not in LOW_FLOATS:
            yield from samples(m)

    return checked


def sgd(m: Maker) -> Iterator[Sample]:
    plain = {"weight_decay": 0.0, "momentum": 0.0, "lr": 0.1, "dampening": 0.0}
    flags = {"nesterov": False, "maximize": False, "is_first_step": False}
    values, gradients, buffers = lists(m, 1)
    yield sample(values, gradients, [], **plain, **flags)
    for change in (
        {},
        {"weight_decay": 0.1, "nesterov": True},
        {"dampening": 0.3, "maximize": True},
        {"is_first_step": True},
        {"lr": torch.tensor(0.2)},
    ):
        yield sample(values, gradients, buffers, **{**plain, **flags, "momentum": 0.9, **change})
    turned = [[value.t() for value in column if value.dim() == 2] for column in lists(m, 1)]
    yield sample(*turned, **{**plain, **flags, "momentum": 0.9})


def adam(m: Maker) -> Iterator[Sample]:
    plain = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8}
    flags = {"amsgrad": False, "maximize": False}
    values, gradients, means, squares, largest, steps = lists(m, 3, steps=True)
    yield sample(values, gradients, means, squares, [], steps, **plain, **flags)
    for change in ({"weight_decay": 0.1}, {"amsgrad": True, "maximize": True}):
        settings = {**plain, **flags, **change}
        kept = largest if settings["amsgrad"] else []
        yield sample(values, gradients, means, squares, kept, steps, **settings)


def adagrad(m: Maker) -> Iterator[Sample]:
    settings = {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.0, "eps": 1e-8, "maximize": False}
    yield sample(*lists(m, 1, steps=True), **settings)
    yield sample(*lists(m, 1, steps=True), **{**settings, "weight_decay": 0.2, "maximize": True})


def optimizer_steps(name: str) -> Callable[..., Any]:
    """Return a function that takes three steps of an optimizer without a fused operator in PyTorch."""

    def call(value: torch.Tensor, gradient: torch.Tensor, **settings: Any) -> torch.Tensor:
        from torch import optim

        parameter = value.clone().requires_grad_()
        optimizer = getattr(optim, name)([parameter], **settings)
        for _ in range(3):
            parameter.grad = gradient * parameter.detach()
            optimizer.step()
        return parameter.detach()

    return call


def rmsprop(m: Maker) -> Iterator[Sample]:
    for settings in ({}, {"momentum": 0.9}, {"centered": True, "momentum": 0.5, "lr": 0.1}):
        yield sample(m(5, 7, low=1), m(5, 7, low=1), **settings)


def adadelta(m: Maker) -> Iterator[Sample]:
    for settings in ({}, {"weight_decay": 0.1, "maximize": True}):
        yield sample(m(5, 7, low=1), m(5, 7, low=1), **settings)


def unscale(m: Maker) -> Iterator[Sample]:
    if not m.is_float:  # PyTorch's CPU kernel accepts bool and complex numbers
        return
    scale = torch.tensor(0.25)
    gradients = [m(*shape) for shape in SHAPES] + [m(4, 5).t(), m(6, 8)[::2, 1::3]]
    yield sample(gradients, [torch.zeros(())], scale)
    for bad in (float("inf"), float("-inf"), float("nan")):
        overflowed = m(37)
        overflowed[-1] = bad
        yield sample([m(3), overflowed], [torch.zeros(1)], torch.ones(1))
    yield sample([], [torch.zeros(())], scale)


def unscaled(
    gradients: list[torch.Tensor], found: list[torch.Tensor], scale: torch.Tensor
) -> list[torch.Tensor]:
    gradients, found = [each.clone() for each in gradients], [found[0].clone()]
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found[0], scale)
    return gradients + found


def new_scale(m: Maker) -> Iterator[Sample]:
    for steps, overflow, scale in ((0, 0.0, 4.0), (2, 0.0, 4.0), (2, 1.0, 4.0), (2, 0.0, 3e38)):
        tracker = torch.tensor(steps, dtype=torch.int32)
        yield sample(torch.tensor(scale), tracker, torch.tensor(overflow), 2.0, 0.5, 3)


def updated_scale(scale: torch.Tensor, tracker: torch.Tensor, *rest: Any) -> list[torch.Tensor]:
    scale, tracker = scale.clone(), tracker.clone()
    return [torch._amp_update_scale_(scale, tracker, *rest), tracker]


TABLE = [
    Operator("_fused_sgd", not_in_half(sgd), call=written("_fused_sgd_", 3), meta=False),
    Operator("_fused_adam", not_in_half(adam), call=written("_fused_adam_", 5), meta=False),
    Operator("_fused_adamw", not_in_half(adam), call=written("_fused_adamw_", 5), meta=False),
    Operator(
        "_fused_adagrad", not_in_half(adagrad), call=written("_fused_adagrad_", 3), meta=False
    ),
    Operator("_fused_rmsprop", not_in_half(rmsprop), call=optimizer_steps("RMSprop"), meta=False),
    Operator(
        "_fused_adadelta", not_in_half(adadelta), call=optimizer_steps("Adadelta"), meta=False
    ),
    Operator(
        "_amp_foreach_non_finite_check_and_unscale",
        unscale,
        dtypes=FLOATS + LOW_FLOATS,
        call=unscaled,
        meta=False,
    ),
    Operator("_amp_update_scale", new_scale, dtypes=ALL, call=updated_scale, meta=False),
]
