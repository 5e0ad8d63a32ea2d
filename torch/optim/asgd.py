"""Averaged stochastic gradient descent; the averages are in the state as ``ax``."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._by_parameter import ByParameter, decayed
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["ASGD", "asgd"]


class ASGD(ByParameter):
    """Averaged stochastic gradient descent; the averages are in the state as ``ax``.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        lambd: Decay of the parameters.
        alpha: Exponent of the decay of the rate.
        t0: The step at which averaging begins.
        weight_decay: Factor of the L2 penalty.
        foreach: Accepted for compatibility; has no effect.
        maximize: If True, increase the objective instead of decreasing it.
        differentiable: If True, autograd records the update itself.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.ASGD([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _update.check_learning_rate(lr)
        _update.check_non_negative(weight_decay, "weight_decay value")
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": torch.zeros((), dtype=torch.float32),
            "eta": torch.as_tensor(group["lr"], dtype=torch.float32).clone().detach(),
            "mu": torch.ones((), dtype=torch.float32),
            "ax": torch.zeros_like(parameter, memory_format=torch.preserve_format),
        }

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        gradient = decayed(group, parameter, gradient)
        weights, gradient, average = _update.as_real([parameter, gradient, state["ax"]])
        eta, step = float(state["eta"]), float(state["step"])
        weights.mul_(1 - group["lambd"] * eta).sub_(gradient * eta)
        average.add_((weights - average) * float(state["mu"]))
        rate = group["lr"] / (1 + group["lambd"] * group["lr"] * step) ** group["alpha"]
        state["eta"].fill_(rate)
        state["mu"].fill_(1 / max(1.0, step - group["t0"]))


def asgd(
    params: Tensors,
    grads: Tensors,
    axs: Tensors,
    mus: Tensors,
    etas: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """Run one step of averaged stochastic gradient descent.

    See `torch.optim.ASGD` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.asgd import asgd
        >>> asgd(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.tensor(1.0)], [torch.tensor(0.1)], [torch.tensor(0.0)],
        ...     lambd=1e-4, lr=0.1, t0=1e6, alpha=0.75, weight_decay=0,
        ... )
        >>> weight
        tensor([0.9000])
    """
    step_lists(
        ASGD,
        params,
        grads,
        {"ax": axs, "mu": mus, "eta": etas, "step": state_steps},
        lambd=lambd,
        lr=lr,
        t0=t0,
        alpha=alpha,
        weight_decay=weight_decay,
        maximize=maximize,
        differentiable=differentiable,
    )
