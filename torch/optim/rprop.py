"""Resilient propagation: each element has a step size, which the signs of gradients adapt."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._by_parameter import ByParameter
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["Rprop", "rprop"]


class Rprop(ByParameter):
    """Resilient propagation: each element has a step size, which the signs of gradients adapt.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: The first step.
        etas: The factors of a step after a change of sign, and after none.
        step_sizes: The least and the greatest step.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
        foreach: Accepted for compatibility; has no effect.
        maximize: If True, increase the objective instead of decreasing it.
        differentiable: If True, autograd records the update itself.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Rprop([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _update.check_learning_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        lr = float(group["lr"])
        size = torch.full_like(parameter, complex(lr, lr) if parameter.is_complex() else lr)
        return {
            "step": torch.zeros((), dtype=torch.float32),
            "prev": torch.zeros_like(parameter, memory_format=torch.preserve_format),
            "step_size": size,
        }

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        tensors = [parameter, gradient, state["prev"], state["step_size"]]
        weights, gradient, previous, size = _update.as_real(tensors)
        less, more = group["etas"]
        agreement = (gradient * previous).sign()
        factor = torch.where(agreement > 0, more, torch.where(agreement < 0, less, 1.0))
        size.mul_(factor).clamp_(*group["step_sizes"])
        gradient = torch.where(agreement < 0, 0.0, gradient)
        weights.sub_(gradient.sign() * size)
        previous.copy_(gradient)


def rprop(
    params: Tensors,
    grads: Tensors,
    prevs: Tensors,
    step_sizes: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """Run one step of resilient propagation.

    See `torch.optim.Rprop` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.rprop import rprop
        >>> rprop(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.tensor([0.1])], [torch.tensor(0.0)],
        ...     step_size_min=1e-6, step_size_max=50, etaminus=0.5, etaplus=1.2,
        ... )
        >>> weight
        tensor([0.9000])
    """
    step_lists(
        Rprop,
        params,
        grads,
        {"prev": prevs, "step_size": step_sizes, "step": state_steps},
        etas=(etaminus, etaplus),
        step_sizes=(step_size_min, step_size_max),
        maximize=maximize,
        differentiable=differentiable,
    )
