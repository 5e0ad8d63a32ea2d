"""What the optimizers share: arguments that make sense, gradients that exist, real numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def check_rate(value: Any, name: str) -> None:
    """ValueError unless a setting is at least 0."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_lr(lr: Any) -> None:
    """ValueError unless a learning rate is a number of at least 0, or a tensor of one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_rate(lr, "learning rate")


def with_gradients(group: dict[str, Any], name: str) -> list[Tensor]:
    """The parameters of a group that have a gradient; RuntimeError where one is sparse."""
    found = [parameter for parameter in group["params"] if parameter.grad is not None]
    for parameter in found:
        if parameter.grad.is_sparse:
            raise RuntimeError(f"{name} does not support sparse gradients")
    return found


def real(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Complex tensors as pairs of real numbers; the others as they are."""
    return [torch.view_as_real(t) if t.is_complex() else t for t in tensors]


def fuses(group: dict[str, Any], parameters: Sequence[Tensor]) -> bool:
    """Whether one operator may update all parameters of a group at once.

    `fused=False` and `foreach=True` ask for operators, `differentiable` needs them.
    """
    if group.get("differentiable") or group.get("fused") is False or group.get("foreach"):
        return False
    return all(parameter.is_floating_point() or parameter.is_complex() for parameter in parameters)


def by_kind(parameters: Sequence[Tensor]) -> list[list[Tensor]]:
    """Parameters of one device and dtype together, as the fused operators take them."""
    first = parameters[0]
    dtype, device = first.dtype, first.device
    if all(parameter.dtype is dtype and parameter.device == device for parameter in parameters):
        return [list(parameters)]
    kinds: dict[Any, list[Tensor]] = {}
    for parameter in parameters:
        kinds.setdefault((parameter.dtype, parameter.device), []).append(parameter)
    return list(kinds.values())


def steps_of(
    state: Any, parameters: Sequence[Tensor], fresh: Callable[[Tensor], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The state of each parameter, made by `fresh` when there is none."""
    found = []
    for parameter in parameters:
        own = state[parameter]
        if not own:
            own.update(fresh(parameter))
        found.append(own)
    return found


def count_step(states: Sequence[dict[str, Any]]) -> None:
    """One more step, for every parameter."""
    for own in states:
        own["step"] += 1
