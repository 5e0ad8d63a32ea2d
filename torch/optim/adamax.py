"""Adamax: Adam with the infinity norm of past gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._by_parameter import ByParameter, decayed
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["Adamax", "adamax"]


class Adamax(ByParameter):
    """Adamax: Adam with the infinity norm of past gradients.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        betas: Decay rates of the mean and of the norm.
        eps: Term added to the size of each gradient.
        weight_decay: Factor of the L2 penalty.
        foreach: Accepted for compatibility; has no effect.
        maximize: If True, increase the objective instead of decreasing it.
        differentiable: If True, autograd records the update itself.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adamax([weight], lr=0.5)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.5000, 1.5000], requires_grad=True)
    """

    _names = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _update.check_learning_rate(lr)
        _update.check_non_negative(eps, "epsilon value")
        _update.check_betas(betas)
        _update.check_non_negative(weight_decay, "weight_decay value")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        gradient = decayed(group, parameter, gradient)
        tensors = [parameter, gradient, state["exp_avg"], state["exp_inf"]]
        weights, gradient, mean, size = _update.as_real(tensors)
        beta1, beta2 = group["betas"]
        mean.lerp_(gradient, 1 - beta1)
        size.copy_(torch.maximum(size * beta2, gradient.abs() + group["eps"]))
        mean, size = _update.to_read(group, mean), _update.to_read(group, size)
        rate = group["lr"] / (1 - beta1 ** float(state["step"]))
        weights.sub_(mean / size * rate)


def adamax(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_infs: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
) -> None:
    """Run one step of Adamax.

    See `torch.optim.Adamax` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.adamax import adamax
        >>> adamax(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.zeros(1)], [torch.tensor(0.0)],
        ...     eps=1e-8, beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0,
        ... )
        >>> weight
        tensor([0.9000])
    """
    step_lists(
        Adamax,
        params,
        grads,
        {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": state_steps},
        betas=(beta1, beta2),
        lr=lr,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
        differentiable=differentiable,
    )
