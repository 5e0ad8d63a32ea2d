"""Adagrad."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._list_steps import Tensors, overflowed, step_lists, unscaled
from torch.optim.optimizer import Parameters

__all__ = ["Adagrad", "adagrad"]


class Adagrad(_update.RestoringOptimizer):
    """Adagrad: steps scaled by the sum of all squared gradients.

    Step t with gradient g computes

        s = s + g^2
        p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)

    as in Duchi et al. (2011).

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        lr_decay: Decay of the learning rate over the steps.
        weight_decay: Factor of the L2 penalty.
        initial_accumulator_value: Initial value of s.
        eps: Term added to the denominator.
        foreach: If True, update with separate operators instead of the fused kernel.
        maximize: If True, increase the objective instead of decreasing it.
        differentiable: If True, autograd records the update itself.
        fused: If False, update with separate operators. None and True use the fused kernel.

    Raises:
        ValueError: If a setting is negative.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adagrad([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.9000, 1.9000], requires_grad=True)
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
        _update.check_learning_rate(lr)
        _update.check_non_negative(lr_decay, "lr_decay value")
        _update.check_non_negative(weight_decay, "weight_decay value")
        _update.check_non_negative(initial_accumulator_value, "initial_accumulator_value value")
        _update.check_non_negative(eps, "epsilon value")
        _update.check_fused(fused, foreach, differentiable)
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
        """Move the accumulated sums to shared memory."""
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def _update(self, group: dict[str, Any]) -> None:
        sparse = _update.with_sparse_gradients(group)
        for parameter in sparse:
            self._update_rows(group, parameter)
        parameters = _update.parameters_with_gradients(group, "Adagrad", except_for=sparse)
        if not parameters:
            return
        states = [self.state[parameter] for parameter in parameters]
        _update.increment_steps(states)
        if not _update.can_fuse(group, parameters):
            for parameter, param_state in zip(parameters, states, strict=True):
                self._update_unfused(group, parameter, param_state)
            return
        for bucket in _update.group_by_dtype_and_device(parameters):
            bucket_states = [self.state[parameter] for parameter in bucket]
            torch._fused_adagrad_(
                _update.as_real(bucket),
                _update.as_real([parameter.grad for parameter in bucket]),
                _update.as_real([state["sum"] for state in bucket_states]),
                [state["step"] for state in bucket_states],
                lr=group["lr"],
                lr_decay=group["lr_decay"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )

    def _rate(self, group: dict[str, Any], param_state: dict[str, Any]) -> Any:
        return group["lr"] / (1 + (param_state["step"].item() - 1) * group["lr_decay"])

    def _update_rows(self, group: dict[str, Any], parameter: Tensor) -> None:
        """Update the elements of a parameter that its sparse gradient has."""
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        param_state = self.state[parameter]
        _update.increment_steps([param_state])
        gradient = parameter.grad.coalesce()
        places = tuple(gradient.indices().unbind())
        values = -gradient.values() if group["maximize"] else gradient.values()
        total = param_state["sum"]
        total.index_put_(places, values * values, accumulate=True)
        change = values / (total[places].sqrt() + group["eps"])
        parameter.index_put_(places, change * -self._rate(group, param_state), accumulate=True)

    def _update_unfused(
        self, group: dict[str, Any], parameter: Tensor, param_state: dict[str, Any]
    ) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        rate = self._rate(group, param_state)
        total, weights = param_state["sum"], parameter
        if parameter.is_complex():
            gradient, total, weights = _update.as_real([gradient, total, parameter])
        total.addcmul_(gradient, gradient, value=1)
        weights.add_(gradient / (total.sqrt() + group["eps"]) * -rate)


def adagrad(
    params: Tensors,
    grads: Tensors,
    state_sums: Tensors,
    state_steps: Tensors,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Run one step of Adagrad.

    See `torch.optim.Adagrad` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.adagrad import adagrad
        >>> adagrad(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.tensor(0.0)],
        ...     lr=0.1, weight_decay=0, lr_decay=0, eps=1e-10, maximize=False,
        ... )
        >>> weight
        tensor([0.9000])
    """
    if overflowed(found_inf):
        return
    step_lists(
        Adagrad,
        params,
        unscaled(grads, grad_scale),
        {"sum": state_sums, "step": state_steps},
        lr=lr,
        weight_decay=weight_decay,
        lr_decay=lr_decay,
        eps=eps,
        maximize=maximize,
        foreach=foreach,
        fused=fused,
        differentiable=differentiable,
    )
