"""Adam, and AdamW, which keeps weight decay out of the moments."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


class Adam(Optimizer):
    """p -= lr m' / (sqrt(v') + eps), m' and v' the bias-corrected moments of the gradient.

    Kingma and Ba (2014); `amsgrad` divides by the largest v so far, Reddi et al. (2018).
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _update.check_lr(lr)
        _update.check_rate(eps, "epsilon value")
        for index, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        _update.check_rate(weight_decay, "weight_decay value")
        if fused and differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("decoupled_weight_decay", False)

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.with_gradients(group, type(self).__name__)
        if not parameters:
            return
        amsgrad = group["amsgrad"]

        def fresh(parameter: Tensor) -> dict[str, Any]:
            names = ["exp_avg", "exp_avg_sq"] + (["max_exp_avg_sq"] if amsgrad else [])
            zeros = {
                name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
                for name in names
            }
            return {"step": torch.tensor(0.0, dtype=torch.float32), **zeros}

        if not _update.fuses(group, parameters):
            for parameter in parameters:
                own = _update.steps_of(self.state, [parameter], fresh)[0]
                _update.count_step([own])
                self._by_operators(group, parameter, own)
            return
        for kind in _update.by_kind(parameters):
            states = _update.steps_of(self.state, kind, fresh)
            _update.count_step(states)
            self._fused(group, kind, states)

    def _fused(
        self, group: dict[str, Any], parameters: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        operator = torch._fused_adamw_ if group["decoupled_weight_decay"] else torch._fused_adam_
        beta1, beta2 = group["betas"]
        operator(
            _update.real(parameters),
            _update.real([parameter.grad for parameter in parameters]),
            _update.real([own["exp_avg"] for own in states]),
            _update.real([own["exp_avg_sq"] for own in states]),
            _update.real([own["max_exp_avg_sq"] for own in states]) if group["amsgrad"] else [],
            [own["step"] for own in states],
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=group["amsgrad"],
            maximize=group["maximize"],
        )

    def _by_operators(self, group: dict[str, Any], parameter: Tensor, own: dict[str, Any]) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
            else:
                gradient = gradient.add(parameter, alpha=group["weight_decay"])
        mean, square = own["exp_avg"], own["exp_avg_sq"]
        weights = parameter
        largest = own.get("max_exp_avg_sq")
        if parameter.is_complex():
            gradient, mean, square, weights = _update.real([gradient, mean, square, parameter])
            largest = None if largest is None else torch.view_as_real(largest)
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        step = own["step"].item()
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        if largest is not None:
            largest.copy_(torch.maximum(largest, square))
            square = largest
        deviation = (square.sqrt() / correction2**0.5).add(group["eps"])
        rate = group["lr"] / correction1
        if isinstance(rate, Tensor):
            weights.add_(mean / deviation * -rate)
        else:
            weights.addcdiv_(mean, deviation, value=-rate)


class AdamW(Adam):
    """Adam with p -= lr weight_decay p beside the moments. Loshchilov and Hutter (2017)."""

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
