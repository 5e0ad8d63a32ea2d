"""RMSprop."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim._list_steps import Tensors, step_lists
from torch.optim.optimizer import Parameters

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(_update.RestoringOptimizer):
    """RMSprop: steps scaled by a moving average of squared gradients.

    One step with gradient g computes

        v = alpha * v + (1 - alpha) * g^2
        p = p - lr * g / (sqrt(v) + eps)

    as in Tieleman and Hinton (2012). With `centered`, the square of the gradient's moving average
    is subtracted from v, as in Graves (2013).

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        alpha: Decay rate of the averages.
        eps: Term added to the denominator.
        weight_decay: Factor of the L2 penalty.
        momentum: Fraction of the previous update that carries over.
        centered: If True, divide by an estimate of the standard deviation.
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
        foreach: If True, update with separate operators instead of the fused kernel.
        maximize: If True, increase the objective instead of decreasing it.
        differentiable: If True, autograd records the update itself.

    Raises:
        ValueError: If a setting is negative.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.RMSprop([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([5.9605e-08, 1.0000e+00], requires_grad=True)
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _update.check_learning_rate(lr)
        _update.check_non_negative(eps, "epsilon value")
        _update.check_non_negative(momentum, "momentum value")
        _update.check_non_negative(weight_decay, "weight_decay value")
        _update.check_non_negative(alpha, "alpha value")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any]) -> None:
        parameters = _update.parameters_with_gradients(group, "RMSprop")
        if not parameters:
            return

        def new_state(parameter: Tensor) -> dict[str, Any]:
            wanted = {
                "square_avg": True,
                "momentum_buffer": group["momentum"] > 0,
                "grad_avg": group["centered"],
            }
            zeros = {
                name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
                for name, used in wanted.items()
                if used
            }
            return {"step": torch.zeros((), dtype=torch.float32), **zeros}

        states = _update.get_or_create_states(self.state, parameters, new_state)
        _update.increment_steps(states)
        if not _update.can_fuse(group, parameters):
            for parameter, param_state in zip(parameters, states, strict=True):
                self._update_unfused(group, parameter, param_state)
            return
        for bucket in _update.group_by_dtype_and_device(parameters):
            self._update_fused(group, bucket, [self.state[parameter] for parameter in bucket])

    def _update_fused(
        self, group: dict[str, Any], parameters: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        centered, momentum = group["centered"], group["momentum"]
        torch._fused_rmsprop_(
            _update.as_real(parameters),
            _update.as_real([parameter.grad for parameter in parameters]),
            _update.as_real([param_state["square_avg"] for param_state in states]),
            _update.as_real([param_state["grad_avg"] for param_state in states])
            if centered
            else [],
            _update.as_real([param_state["momentum_buffer"] for param_state in states])
            if momentum > 0
            else [],
            lr=float(group["lr"]),
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=momentum,
            centered=centered,
            maximize=group["maximize"],
        )

    def _update_unfused(
        self, group: dict[str, Any], parameter: Tensor, param_state: dict[str, Any]
    ) -> None:
        gradient = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        names = ("square_avg", "grad_avg", "momentum_buffer")
        buffers = [param_state.get(name) for name in names]
        if parameter.is_complex():
            gradient, weights = _update.as_real([gradient, parameter])
            buffers = [None if tensor is None else torch.view_as_real(tensor) for tensor in buffers]
        else:
            weights = parameter
        square, mean, buffer = buffers
        alpha = group["alpha"]
        square.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
        if group["centered"]:
            mean.lerp_(gradient, 1 - alpha)
            mean = _update.to_read(group, mean)
            deviation = square.addcmul(mean, mean, value=-1).sqrt()
        else:
            deviation = square.sqrt()
        update = gradient / (deviation + group["eps"])
        if group["momentum"] > 0:
            buffer.mul_(group["momentum"]).add_(update)
            update = _update.to_read(group, buffer)
        weights.add_(update * -group["lr"])


def rmsprop(
    params: Tensors,
    grads: Tensors,
    square_avgs: Tensors,
    grad_avgs: Tensors,
    momentum_buffer_list: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """Run one step of RMSprop.

    See `torch.optim.RMSprop` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.rmsprop import rmsprop
        >>> rmsprop(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [], [], [torch.tensor(0.0)],
        ...     lr=0.1, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
        ... )
        >>> weight
        tensor([5.9605e-08])
    """
    step_lists(
        RMSprop,
        params,
        grads,
        {
            "square_avg": square_avgs,
            "grad_avg": grad_avgs,
            "momentum_buffer": momentum_buffer_list,
            "step": state_steps,
        },
        lr=lr,
        alpha=alpha,
        eps=eps,
        weight_decay=weight_decay,
        momentum=momentum,
        centered=centered,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
    )
