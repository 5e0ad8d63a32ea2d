"""RAdam: Adam that waits until the variance of its steps is known."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor
from torch.optim import _update
from torch.optim._by_parameter import ByParameter, decayed
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["RAdam", "radam"]


class RAdam(ByParameter):
    """RAdam: Adam that waits until the variance of its steps is known.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        betas: Decay rates of the mean and of the squares.
        eps: Term added to the denominator.
        weight_decay: Factor of the L2 penalty.
        decoupled_weight_decay: If True, the decay shrinks the parameters instead, as in AdamW.
        foreach: Accepted for compatibility; has no effect.
        maximize: If True, increase the objective instead of decreasing it.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
        differentiable: If True, autograd records the update itself.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.RAdam([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.8000], requires_grad=True)
    """

    _names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
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
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        gradient = decayed(group, parameter, gradient)
        tensors = [parameter, gradient, state["exp_avg"], state["exp_avg_sq"]]
        weights, gradient, mean, squares = _update.as_real(tensors)
        beta1, beta2 = group["betas"]
        step = float(state["step"])
        mean.lerp_(gradient, 1 - beta1)
        squares.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        corrected = mean / (1 - beta1**step)
        most = 2 / (1 - beta2) - 1
        length = most - 2 * step * beta2**step / (1 - beta2**step)
        if length > 5:
            rectified = math.sqrt(
                (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
            )
            scale = math.sqrt(1 - beta2**step) / (squares.sqrt() + group["eps"])
            corrected = corrected * scale * rectified
        weights.sub_(corrected * group["lr"])


def radam(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    state_steps: Tensors,
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
) -> None:
    """Run one step of RAdam.

    See `torch.optim.RAdam` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.radam import radam
        >>> radam(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.zeros(1)], [torch.tensor(0.0)],
        ...     beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0, eps=1e-8,
        ... )
        >>> weight
        tensor([0.9000])
    """
    step_lists(
        RAdam,
        params,
        grads,
        {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps},
        betas=(beta1, beta2),
        lr=lr,
        eps=eps,
        weight_decay=weight_decay,
        decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
        differentiable=differentiable,
    )
