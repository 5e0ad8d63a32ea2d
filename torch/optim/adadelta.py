"""Adadelta."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["Adadelta", "adadelta"]


class Adadelta(_update.RestoringOptimizer):
    """Adadelta: steps scaled by moving averages of squared gradients and squared updates.

    One step with gradient g computes

        v = rho * v + (1 - rho) * g^2
        d = g * sqrt(u + eps) / sqrt(v + eps)
        u = rho * u + (1 - rho) * d^2
        p = p - lr * d

    as in Zeiler (2012).

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Factor applied to the update.
        rho: Decay rate of both averages, in [0, 1].
        eps: Term added under the square roots.
        weight_decay: Factor of the L2 penalty.
        foreach: If True, update with separate operators instead of the fused kernel.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
        maximize: If True, increase the objective instead of decreasing it.
        differentiable: If True, autograd records the update itself.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adadelta([weight], lr=100.0)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.6838, 1.6838], requires_grad=True)
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
        _update.check_learning_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _update.check_non_negative(eps, "epsilon value")
        _update.check_non_negative(weight_decay, "weight_decay value")
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
        parameters = _update.parameters_with_gradients(group, "Adadelta")
        if not parameters:
            return

        def new_state(parameter: Tensor) -> dict[str, Any]:
            zeros = {
                name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
                for name in ("square_avg", "acc_delta")
            }
            return {"step": torch.zeros((), dtype=torch.float32), **zeros}

        states = _update.get_or_create_states(self.state, parameters, new_state)
        _update.increment_steps(states)
        if not _update.can_fuse(group, parameters):
            for parameter, param_state in zip(parameters, states, strict=True):
                self._update_unfused(group, parameter, param_state)
            return
        for bucket in _update.group_by_dtype_and_device(parameters):
            bucket_states = [self.state[parameter] for parameter in bucket]
            torch._fused_adadelta_(
                _update.as_real(bucket),
                _update.as_real([parameter.grad for parameter in bucket]),
                _update.as_real([state["square_avg"] for state in bucket_states]),
                _update.as_real([state["acc_delta"] for state in bucket_states]),
                lr=float(group["lr"]),
                rho=group["rho"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                maximize=group["maximize"],
            )

    def _update_unfused(
        self, group: dict[str, Any], parameter: Tensor, param_state: dict[str, Any]
    ) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        square, deltas, weights = param_state["square_avg"], param_state["acc_delta"], parameter
        if parameter.is_complex():
            tensors = [gradient, square, deltas, parameter]
            gradient, square, deltas, weights = _update.as_real(tensors)
        rho, eps = group["rho"], group["eps"]
        square.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
        delta = (deltas + eps).sqrt() / (square + eps).sqrt() * gradient
        deltas.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        weights.add_(delta * -group["lr"])


def adadelta(
    params: Tensors,
    grads: Tensors,
    square_avgs: Tensors,
    acc_deltas: Tensors,
    state_steps: Tensors,
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Run one step of Adadelta.

    See `torch.optim.Adadelta` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.adadelta import adadelta
        >>> adadelta(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.zeros(1)], [torch.tensor(0.0)],
        ...     lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, maximize=False,
        ... )
        >>> weight
        tensor([0.9968])
    """
    step_lists(
        Adadelta,
        params,
        grads,
        {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": state_steps},
        lr=lr,
        rho=rho,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
    )
