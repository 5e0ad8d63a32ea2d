"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


class SGD(Optimizer):
    """p -= lr b, with b = momentum b + (1 - dampening) g and g = grad + weight_decay p.

    `nesterov` uses g + momentum b. Sutskever et al. (2013); the first b is g.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _update.check_lr(lr)
        _update.check_rate(momentum, "momentum value")
        _update.check_rate(weight_decay, "weight_decay value")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.with_gradients(group, "SGD")
        if not parameters:
            return
        if not _update.fuses(group, parameters):
            for parameter in parameters:
                self._by_operators(group, parameter)
            return
        state = self.state
        for kind in _update.by_kind(parameters):
            if group["momentum"] == 0:
                self._fused(group, kind, first=False)
                continue
            fresh = [p for p in kind if state[p].get("momentum_buffer") is None]
            if fresh:
                for parameter in fresh:
                    state[parameter]["momentum_buffer"] = torch.empty_like(parameter.grad)
                self._fused(group, fresh, first=True)
                made = set(fresh)
                kind = [parameter for parameter in kind if parameter not in made]
            if kind:
                self._fused(group, kind, first=False)

    def _fused(self, group: dict[str, Any], parameters: list[Tensor], first: bool) -> None:
        buffers = []
        if group["momentum"] != 0:
            buffers = _update.real([self.state[p]["momentum_buffer"] for p in parameters])
        torch._fused_sgd_(
            _update.real(parameters),
            _update.real([parameter.grad for parameter in parameters]),
            buffers,
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
            is_first_step=first,
        )

    def _by_operators(self, group: dict[str, Any], parameter: Tensor) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        if group["momentum"] != 0:
            own = self.state[parameter]
            buffer = own.get("momentum_buffer")
            if buffer is None:
                buffer = gradient.detach().clone()
                own["momentum_buffer"] = buffer
            else:
                buffer.mul_(group["momentum"]).add_(gradient, alpha=1 - group["dampening"])
            if group["nesterov"]:
                gradient = gradient.add(buffer, alpha=group["momentum"])
            else:
                gradient = buffer
        if isinstance(group["lr"], Tensor):
            parameter.add_(gradient * -group["lr"])
        else:
            parameter.add_(gradient, alpha=-group["lr"])
