"""Adadelta."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


class Adadelta(Optimizer):
    """p -= lr d, d = g sqrt(u + eps) / sqrt(v + eps), v and u the moving means of g^2 and d^2.

    Zeiler (2012).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _update.check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _update.check_rate(eps, "epsilon value")
        _update.check_rate(weight_decay, "weight_decay value")
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.with_gradients(group, "Adadelta")
        if not parameters:
            return

        def fresh(parameter: Tensor) -> dict[str, Any]:
            zeros = {
                name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
                for name in ("square_avg", "acc_delta")
            }
            return {"step": torch.zeros((), dtype=torch.float32), **zeros}

        states = _update.steps_of(self.state, parameters, fresh)
        _update.count_step(states)
        if not _update.fuses(group, parameters):
            for parameter, own in zip(parameters, states, strict=True):
                self._by_operators(group, parameter, own)
            return
        for kind in _update.by_kind(parameters):
            own = [self.state[parameter] for parameter in kind]
            torch._fused_adadelta_(
                _update.real(kind),
                _update.real([parameter.grad for parameter in kind]),
                _update.real([state["square_avg"] for state in own]),
                _update.real([state["acc_delta"] for state in own]),
                lr=float(group["lr"]),
                rho=group["rho"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                maximize=group["maximize"],
            )

    def _by_operators(self, group: dict[str, Any], parameter: Tensor, own: dict[str, Any]) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        square, deltas, weights = own["square_avg"], own["acc_delta"], parameter
        if parameter.is_complex():
            tensors = [gradient, square, deltas, parameter]
            gradient, square, deltas, weights = _update.real(tensors)
        rho, eps = group["rho"], group["eps"]
        square.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
        delta = (deltas + eps).sqrt() / (square + eps).sqrt() * gradient
        deltas.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        weights.add_(delta * -group["lr"])
