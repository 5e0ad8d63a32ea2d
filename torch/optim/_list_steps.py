"""Run the step of an optimizer on lists of tensors, for functions such as torch.optim.adam.adam."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim.optimizer import Optimizer

Tensors = list[Tensor]


def step_lists(
    kind: type[Optimizer],
    params: Tensors,
    grads: Tensors,
    states: dict[str, list[Any]],
    **settings: Any,
) -> None:
    """Run one step of an optimizer on tensors that share the memory of the parameters.

    Args:
        kind: The class of the optimizer.
        params: The parameters.
        grads: Their gradients.
        states: For each name of the state, one tensor per parameter; a state that the step creates
            takes the place of a None.
        **settings: The settings of the parameter group.
    """
    optimizer = kind.__new__(kind)
    differentiable = settings.setdefault("differentiable", False)
    stand_ins = [p.view_as(p) if differentiable else p.detach() for p in params]
    optimizer.state = {
        stand_in: {name: values[index] for name, values in states.items() if values}
        for index, stand_in in enumerate(stand_ins)
    }
    for stand_in, gradient in zip(stand_ins, grads, strict=True):
        stand_in.grad = gradient if differentiable else gradient.detach()
    with torch.set_grad_enabled(differentiable):
        optimizer._update({"params": stand_ins, **settings})
    for index, stand_in in enumerate(stand_ins):
        for name, values in states.items():
            if values:
                values[index] = optimizer.state[stand_in].get(name)


def unscaled(grads: Tensors, grad_scale: Tensor | None) -> Tensors:
    """Return gradients without the scale of a loss."""
    return grads if grad_scale is None else [gradient / grad_scale for gradient in grads]


def overflowed(found_inf: Tensor | None) -> bool:
    """Return whether gradients are not finite, so that there is no step."""
    return found_inf is not None and bool(found_inf)
