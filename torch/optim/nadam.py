"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._by_parameter import ByParameter, decayed
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["NAdam", "nadam"]


class NAdam(ByParameter):
    """NAdam: Adam with Nesterov's momentum.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        betas: Decay rates of the mean and of the squares.
        eps: Term added to the denominator.
        weight_decay: Factor of the L2 penalty.
        momentum_decay: How fast the momentum approaches its final value.
        decoupled_weight_decay: If True, the decay shrinks the parameters instead, as in AdamW.
        foreach: Accepted for compatibility; has no effect.
        maximize: If True, increase the objective instead of decreasing it.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
        differentiable: If True, autograd records the update itself.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.NAdam([weight])
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> bool(weight < 1)
        True
    """

    _names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _update.check_learning_rate(lr)
        _update.check_non_negative(eps, "epsilon value")
        _update.check_betas(betas)
        _update.check_non_negative(weight_decay, "weight_decay value")
        _update.check_non_negative(momentum_decay, "momentum_decay value")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = super()._new_state(parameter, group)
        product = torch.ones((), dtype=torch.float32)
        return {"step": state.pop("step"), "mu_product": product, **state}

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        gradient = decayed(group, parameter, gradient)
        tensors = [parameter, gradient, state["exp_avg"], state["exp_avg_sq"]]
        weights, gradient, mean, squares = _update.as_real(tensors)
        beta1, beta2 = group["betas"]
        step, decay = float(state["step"]), group["momentum_decay"]
        now = beta1 * (1 - 0.5 * 0.96 ** (step * decay))
        after = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * decay))
        state["mu_product"] *= now
        product = _update.to_read(group, state["mu_product"])
        if not group["differentiable"]:
            product = float(product)
        mean.lerp_(gradient, 1 - beta1)
        squares.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = (squares / (1 - beta2**step)).sqrt() + group["eps"]
        lr = group["lr"]
        weights.sub_(gradient / root * (lr * (1 - now) / (1 - product)))
        mean = _update.to_read(group, mean)
        weights.sub_(mean / root * (lr * after / (1 - product * after)))


def nadam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    mu_products: Tensors,
    state_steps: Tensors,
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """Run one step of NAdam.

    See `torch.optim.NAdam` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.nadam import nadam
        >>> nadam(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.zeros(1)], [torch.tensor(1.0)], [torch.tensor(0.0)],
        ...     beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0, momentum_decay=4e-3, eps=1e-8,
        ... )
        >>> weight
        tensor([0.8944])
    """
    step_lists(
        NAdam,
        params,
        grads,
        {
            "exp_avg": exp_avgs,
            "exp_avg_sq": exp_avg_sqs,
            "mu_product": mu_products,
            "step": state_steps,
        },
        betas=(beta1, beta2),
        lr=lr,
        eps=eps,
        weight_decay=weight_decay,
        momentum_decay=momentum_decay,
        decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
        differentiable=differentiable,
    )
