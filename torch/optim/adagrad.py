"""Adagrad."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


class Adagrad(Optimizer):
    """p -= lr' g / (sqrt(s) + eps), s the sum of all g^2, lr' = lr / (1 + (step - 1) lr_decay).

    Duchi et al. (2011).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _update.check_lr(lr)
        _update.check_rate(lr_decay, "lr_decay value")
        _update.check_rate(weight_decay, "weight_decay value")
        _update.check_rate(initial_accumulator_value, "initial_accumulator_value value")
        _update.check_rate(eps, "epsilon value")
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            start = group["initial_accumulator_value"]
            for parameter in group["params"]:
                value = complex(start, start) if parameter.is_complex() else start
                self.state[parameter] = {
                    "step": torch.tensor(0.0, dtype=torch.float32),
                    "sum": torch.full_like(parameter, value, memory_format=torch.preserve_format),
                }

    def share_memory(self) -> None:
        """Moves the sums to shared memory."""
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.with_gradients(group, "Adagrad")
        if not parameters:
            return
        states = [self.state[parameter] for parameter in parameters]
        _update.count_step(states)
        if not _update.fuses(group, parameters):
            for parameter, own in zip(parameters, states, strict=True):
                self._by_operators(group, parameter, own)
            return
        for kind in _update.by_kind(parameters):
            own = [self.state[parameter] for parameter in kind]
            torch._fused_adagrad_(
                _update.real(kind),
                _update.real([parameter.grad for parameter in kind]),
                _update.real([state["sum"] for state in own]),
                [state["step"] for state in own],
                lr=group["lr"],
                lr_decay=group["lr_decay"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )

    def _by_operators(self, group: dict[str, Any], parameter: Tensor, own: dict[str, Any]) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        rate = group["lr"] / (1 + (own["step"].item() - 1) * group["lr_decay"])
        total, weights = own["sum"], parameter
        if parameter.is_complex():
            gradient, total, weights = _update.real([gradient, total, parameter])
        total.addcmul_(gradient, gradient, value=1)
        weights.add_(gradient / (total.sqrt() + group["eps"]) * -rate)
