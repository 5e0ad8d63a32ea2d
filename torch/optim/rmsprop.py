"""RMSprop."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


class RMSprop(Optimizer):
    """p -= lr g / (sqrt(v) + eps), v the moving mean of g^2; `centered` subtracts the mean's square.

    Tieleman and Hinton (2012); centered: Graves (2013).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _update.check_lr(lr)
        _update.check_rate(eps, "epsilon value")
        _update.check_rate(momentum, "momentum value")
        _update.check_rate(weight_decay, "weight_decay value")
        _update.check_rate(alpha, "alpha value")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.with_gradients(group, "RMSprop")
        if not parameters:
            return

        def fresh(parameter: Tensor) -> dict[str, Any]:
            wanted = {
                "square_avg": True,
                "momentum_buffer": group["momentum"] > 0,
                "grad_avg": group["centered"],
            }
            zeros = {
                name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
                for name, used in wanted.items()
                if used
            }
            return {"step": torch.zeros((), dtype=torch.float32), **zeros}

        states = _update.steps_of(self.state, parameters, fresh)
        _update.count_step(states)
        if not _update.fuses(group, parameters):
            for parameter, own in zip(parameters, states, strict=True):
                self._by_operators(group, parameter, own)
            return
        for kind in _update.by_kind(parameters):
            self._fused(group, kind, [self.state[parameter] for parameter in kind])

    def _fused(
        self, group: dict[str, Any], parameters: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        centered, momentum = group["centered"], group["momentum"]
        torch._fused_rmsprop_(
            _update.real(parameters),
            _update.real([parameter.grad for parameter in parameters]),
            _update.real([own["square_avg"] for own in states]),
            _update.real([own["grad_avg"] for own in states]) if centered else [],
            _update.real([own["momentum_buffer"] for own in states]) if momentum > 0 else [],
            lr=float(group["lr"]),
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=momentum,
            centered=centered,
            maximize=group["maximize"],
        )

    def _by_operators(self, group: dict[str, Any], parameter: Tensor, own: dict[str, Any]) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        names = ("square_avg", "grad_avg", "momentum_buffer")
        kept = [own.get(name) for name in names]
        if parameter.is_complex():
            gradient, weights = _update.real([gradient, parameter])
            kept = [None if tensor is None else torch.view_as_real(tensor) for tensor in kept]
        else:
            weights = parameter
        square, mean, buffer = kept
        alpha = group["alpha"]
        square.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
        if group["centered"]:
            mean.lerp_(gradient, 1 - alpha)
            deviation = square.addcmul(mean, mean, value=-1).sqrt()
        else:
            deviation = square.sqrt()
        update = gradient / (deviation + group["eps"])
        if group["momentum"] > 0:
            update = buffer.mul_(group["momentum"]).add_(update)
        weights.add_(update * -group["lr"])
