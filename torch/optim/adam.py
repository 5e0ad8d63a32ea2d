"""Adam: steps scaled by running moments of the gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._list_steps import Tensors, overflowed, step_lists, unscaled
from torch.optim.optimizer import Parameters

__all__ = ["Adam", "adam"]


class Adam(_update.RestoringOptimizer):
    """Adam: steps scaled by running moments of the gradient.

    One step with gradient g and step count t computes

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g^2
        p = p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    as in Kingma and Ba (2014). With `amsgrad`, the largest v so far takes the place of v, as in
    Reddi et al. (2018).

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        betas: Decay rates of the first and second moment, each in [0, 1).
        eps: Term added to the denominator.
        weight_decay: Factor of the L2 penalty, which is added to the gradient.
        amsgrad: If True, use the AMSGrad variant.
        foreach: If True, update with separate operators instead of the fused kernel.
        maximize: If True, increase the objective instead of decreasing it.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
        differentiable: If True, autograd records the update itself.
        fused: If False, update with separate operators. None and True use the fused kernel.
        decoupled_weight_decay: If True, shrink the parameter directly, as AdamW does.

    Raises:
        ValueError: If a setting is outside its range.
        RuntimeError: If `fused` is combined with `foreach` or `differentiable`.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adam([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.9000, 1.9000], requires_grad=True)
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
        _update.check_learning_rate(lr)
        _update.check_non_negative(eps, "epsilon value")
        _update.check_betas(betas)
        _update.check_non_negative(weight_decay, "weight_decay value")
        _check_tensors({"lr": lr, "betas[0]": betas[0], "betas[1]": betas[1]}, foreach, capturable)
        _update.check_fused(fused, foreach, differentiable)
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

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.parameters_with_gradients(group, type(self).__name__)
        if not parameters:
            return
        amsgrad = group["amsgrad"]

        def new_state(parameter: Tensor) -> dict[str, Any]:
            names = ["exp_avg", "exp_avg_sq"] + (["max_exp_avg_sq"] if amsgrad else [])
            zeros = {
                name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
                for name in names
            }
            return {"step": torch.tensor(0.0, dtype=torch.float32), **zeros}

        if not _update.can_fuse(group, parameters):
            for parameter in parameters:
                param_state = _update.get_or_create_states(self.state, [parameter], new_state)[0]
                _update.increment_steps([param_state])
                self._update_unfused(group, parameter, param_state)
            return
        for bucket in _update.group_by_dtype_and_device(parameters):
            states = _update.get_or_create_states(self.state, bucket, new_state)
            _update.increment_steps(states)
            self._update_fused(group, bucket, states)

    def _update_fused(
        self, group: dict[str, Any], parameters: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        operator = torch._fused_adamw_ if group["decoupled_weight_decay"] else torch._fused_adam_
        beta1, beta2 = group["betas"]
        operator(
            _update.as_real(parameters),
            _update.as_real([parameter.grad for parameter in parameters]),
            _update.as_real([param_state["exp_avg"] for param_state in states]),
            _update.as_real([param_state["exp_avg_sq"] for param_state in states]),
            _update.as_real([param_state["max_exp_avg_sq"] for param_state in states])
            if group["amsgrad"]
            else [],
            [param_state["step"] for param_state in states],
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=group["amsgrad"],
            maximize=group["maximize"],
        )

    def _update_unfused(
        self, group: dict[str, Any], parameter: Tensor, param_state: dict[str, Any]
    ) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
            else:
                gradient = _update.add_decay(
                    gradient, parameter, group["weight_decay"], group["differentiable"]
                )
        mean, square = param_state["exp_avg"], param_state["exp_avg_sq"]
        weights = parameter
        largest = param_state.get("max_exp_avg_sq")
        if parameter.is_complex():
            gradient, mean, square, weights = _update.as_real([gradient, mean, square, parameter])
            largest = None if largest is None else torch.view_as_real(largest)
        mean.lerp_(gradient, 1 - beta1)
        if group["differentiable"] and isinstance(beta2, Tensor):
            square.lerp_(gradient.square(), 1 - beta2)
        else:
            square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        step = param_state["step"].item()
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        if largest is not None:
            operands = _update.to_read(group, largest), _update.to_read(group, square)
            square = torch.maximum(*operands)
            largest.copy_(square)
        mean = _update.to_read(group, mean)
        deviation = (square.sqrt() / correction2**0.5).add(group["eps"])
        rate = group["lr"] / correction1
        if isinstance(rate, Tensor):
            weights.add_(mean / deviation * -rate)
        else:
            weights.addcdiv_(mean, deviation, value=-rate)


def _check_tensors(
    settings: dict[str, float | Tensor], foreach: bool | None, capturable: bool
) -> None:
    """Raise ValueError for settings that are tensors where they must be numbers."""
    if isinstance(settings["betas[0]"], Tensor) != isinstance(settings["betas[1]"], Tensor):
        raise ValueError("betas must be either both floats or both Tensors")
    for name, value in settings.items():
        if isinstance(value, Tensor):
            if foreach and not capturable:
                raise ValueError(
                    f"{name} as a Tensor is not supported for capturable=False and foreach=True"
                )
            if value.numel() != 1:
                raise ValueError(f"Tensor {name} must be 1-element")


def adam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    max_exp_avg_sqs: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Run one step of Adam.

    See `torch.optim.Adam` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.adam import adam
        >>> adam(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.zeros(1)], [], [torch.tensor(0.0)],
        ...     amsgrad=False, beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False,
        ... )
        >>> weight
        tensor([0.9000])
    """
    if overflowed(found_inf):
        return
    step_lists(
        Adam,
        params,
        unscaled(grads, grad_scale),
        {
            "exp_avg": exp_avgs,
            "exp_avg_sq": exp_avg_sqs,
            "max_exp_avg_sq": max_exp_avg_sqs if amsgrad else [],
            "step": state_steps,
        },
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        amsgrad=amsgrad,
        maximize=maximize,
        foreach=foreach,
        fused=fused,
        differentiable=differentiable,
        decoupled_weight_decay=decoupled_weight_decay,
    )
