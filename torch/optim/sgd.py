"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._list_steps import Tensors, overflowed, step_lists, unscaled
from torch.optim.optimizer import Parameters

__all__ = ["SGD", "sgd"]


class SGD(_update.RestoringOptimizer):
    """Stochastic gradient descent with optional momentum.

    One step with learning rate lr, gradient g and momentum buffer b computes

        g = grad + weight_decay * p
        b = momentum * b + (1 - dampening) * g    (b = g in the first step)
        p = p - lr * b                            (p - lr * (g + momentum * b) with Nesterov)

    as in Sutskever et al. (2013). Without momentum, the step is ``p - lr * g``.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        momentum: Fraction of the previous update that carries over.
        dampening: Reduction of the gradient's weight in the momentum buffer.
        weight_decay: Factor of the L2 penalty.
        nesterov: If True, use Nesterov momentum. Requires momentum and no dampening.
        maximize: If True, increase the objective instead of decreasing it.
        foreach: If True, update with separate operators instead of the fused kernel.
        differentiable: If True, autograd records the update itself.
        fused: If False, update with separate operators. None and True use the fused kernel.

    Raises:
        ValueError: If a setting is negative or Nesterov momentum is requested without momentum.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.8000, 1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _update.check_learning_rate(lr)
        _update.check_non_negative(momentum, "momentum value")
        _update.check_non_negative(weight_decay, "weight_decay value")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        _update.check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _update_rows(self, group: dict[str, Any], parameter: Tensor) -> None:
        """Update a parameter whose gradient is sparse."""
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        if group["weight_decay"]:
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
            )
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if momentum := group["momentum"]:
            param_state = self.state[parameter]
            buffer = param_state.get("momentum_buffer")
            if buffer is None:
                buffer = gradient.clone()
            else:
                buffer = buffer * momentum + gradient * (1 - group["dampening"])
            param_state["momentum_buffer"] = buffer
            gradient = gradient + buffer * momentum if group["nesterov"] else buffer
        parameter.add_(gradient, alpha=-float(group["lr"]))

    def _update(self, group: dict[str, Any]) -> None:
        sparse = _update.with_sparse_gradients(group)
        for parameter in sparse:
            self._update_rows(group, parameter)
        parameters = _update.parameters_with_gradients(group, "SGD", except_for=sparse)
        if not parameters:
            return
        if not _update.can_fuse(group, parameters):
            for parameter in parameters:
                self._update_unfused(group, parameter)
            return
        state = self.state
        for bucket in _update.group_by_dtype_and_device(parameters):
            if group["momentum"] == 0:
                self._update_fused(group, bucket, first=False)
                continue
            uninitialized = [p for p in bucket if state[p].get("momentum_buffer") is None]
            if uninitialized:
                for parameter in uninitialized:
                    state[parameter]["momentum_buffer"] = torch.empty_like(parameter.grad)
                self._update_fused(group, uninitialized, first=True)
                done = set(uninitialized)
                bucket = [parameter for parameter in bucket if parameter not in done]
            if bucket:
                self._update_fused(group, bucket, first=False)

    def _update_fused(self, group: dict[str, Any], parameters: list[Tensor], first: bool) -> None:
        buffers = []
        if group["momentum"] != 0:
            buffers = _update.as_real([self.state[p]["momentum_buffer"] for p in parameters])
        torch._fused_sgd_(
            _update.as_real(parameters),
            _update.as_real([parameter.grad for parameter in parameters]),
            buffers,
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
            is_first_step=first,
        )

    def _update_unfused(self, group: dict[str, Any], parameter: Tensor) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = _update.add_decay(
                gradient, parameter, group["weight_decay"], group["differentiable"]
            )
        if group["momentum"] != 0:
            param_state = self.state[parameter]
            buffer = param_state.get("momentum_buffer")
            if buffer is None:
                buffer = gradient.detach().clone()
                param_state["momentum_buffer"] = buffer
            else:
                buffer.mul_(group["momentum"]).add_(gradient, alpha=1 - group["dampening"])
            if group["nesterov"]:
                gradient = gradient.add(buffer, alpha=group["momentum"])
            else:
                gradient = _update.to_read(group, buffer)
        if isinstance(group["lr"], Tensor):
            parameter.add_(gradient * -group["lr"])
        else:
            parameter.add_(gradient, alpha=-group["lr"])


def sgd(
    params: Tensors,
    d_p_list: Tensors,
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Run one step of stochastic gradient descent; a momentum buffer may be None.

    See `torch.optim.SGD` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.sgd import sgd
        >>> sgd(
        ...     [weight], [torch.ones(1)], [None],
        ...     weight_decay=0, momentum=0.9, lr=0.1, dampening=0, nesterov=False, maximize=False,
        ... )
        >>> weight
        tensor([0.9000])
    """
    if overflowed(found_inf):
        return
    step_lists(
        SGD,
        params,
        unscaled(d_p_list, grad_scale),
        {"momentum_buffer": momentum_buffer_list},
        weight_decay=weight_decay,
        momentum=momentum,
        lr=lr,
        dampening=dampening,
        nesterov=nesterov,
        maximize=maximize,
        foreach=foreach,
        fused=fused,
    )
