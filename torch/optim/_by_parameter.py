"""The base class of optimizers that update one parameter after the other."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update


class ByParameter(_update.RestoringOptimizer):
    """Creates the state of each parameter, and passes its gradient to `_step`."""

    _names: tuple[str, ...] = ()

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        zeros = {
            name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
            for name in self._names
        }
        return {"step": torch.zeros((), dtype=torch.float32), **zeros}

    def _update(self, group: dict[str, Any]) -> None:
        for parameter in _update.parameters_with_gradients(group, type(self).__name__):
            state = self.state[parameter]
            if not state:
                state.update(self._new_state(parameter, group))
            if "step" in state:
                state["step"] += 1
            gradient = -parameter.grad if group.get("maximize") else parameter.grad
            self._step(group, parameter, gradient, state)

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        raise NotImplementedError


def decayed(group: dict[str, Any], parameter: Tensor, gradient: Tensor) -> Tensor:
    """Add the L2 penalty to the gradient, or shrink the parameter if the decay is decoupled."""
    decay = group["weight_decay"]
    if decay == 0:
        return gradient
    if group.get("decoupled_weight_decay"):
        parameter.mul_(1 - group["lr"] * decay)
        return gradient
    return gradient.add(parameter, alpha=decay)
