"""Optimizers that update one parameter after the other: Adamax, NAdam, RAdam, ASGD and Rprop."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


def check_betas(betas: Any) -> None:
    """Raise ValueError unless both decay rates are in [0, 1)."""
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


class _ByParameter(Optimizer):
    """Creates the state of each parameter, and passes its gradient to `_step`."""

    _names: tuple[str, ...] = ()

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        zeros = {
            name: torch.zeros_like(parameter, memory_format=torch.preserve_format)
            for name in self._names
        }
        return {"step": torch.zeros((), dtype=torch.float32), **zeros}

    def _update(self, group: dict[str, Any]) -> None:
        for parameter in _update.parameters_with_gradients(group, type(self).__name__):
            state = self.state[parameter]
            if not state:
                state.update(self._new_state(parameter, group))
            if "step" in state:
                state["step"] += 1
            gradient = -parameter.grad if group.get("maximize") else parameter.grad
            self._step(group, parameter, gradient, state)

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        raise NotImplementedError


def _decayed(group: dict[str, Any], parameter: Tensor, gradient: Tensor) -> Tensor:
    """Add the L2 penalty to the gradient, or shrink the parameter if the decay is decoupled."""
    decay = group["weight_decay"]
    if decay == 0:
        return gradient
    if group.get("decoupled_weight_decay"):
        parameter.mul_(1 - group["lr"] * decay)
        return gradient
    return gradient.add(parameter, alpha=decay)


class Adamax(_ByParameter):
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
        capturable: Accepted for compatibility; has no effect.

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
        check_betas(betas)
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
        gradient = _decayed(group, parameter, gradient)
        tensors = [parameter, gradient, state["exp_avg"], state["exp_inf"]]
        weights, gradient, mean, size = _update.as_real(tensors)
        beta1, beta2 = group["betas"]
        mean.lerp_(gradient, 1 - beta1)
        size.copy_(torch.maximum(size * beta2, gradient.abs() + group["eps"]))
        rate = group["lr"] / (1 - beta1 ** float(state["step"]))
        weights.sub_(mean / size * rate)


class NAdam(_ByParameter):
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
        capturable: Accepted for compatibility; has no effect.
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
        check_betas(betas)
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
        gradient = _decayed(group, parameter, gradient)
        tensors = [parameter, gradient, state["exp_avg"], state["exp_avg_sq"]]
        weights, gradient, mean, squares = _update.as_real(tensors)
        beta1, beta2 = group["betas"]
        step, decay = float(state["step"]), group["momentum_decay"]
        now = beta1 * (1 - 0.5 * 0.96 ** (step * decay))
        after = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * decay))
        state["mu_product"] *= now
        product = float(state["mu_product"])
        mean.lerp_(gradient, 1 - beta1)
        squares.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = (squares / (1 - beta2**step)).sqrt() + group["eps"]
        lr = group["lr"]
        weights.sub_(gradient / root * (lr * (1 - now) / (1 - product)))
        weights.sub_(mean / root * (lr * after / (1 - product * after)))


class RAdam(_ByParameter):
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
        capturable: Accepted for compatibility; has no effect.
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
        check_betas(betas)
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
        gradient = _decayed(group, parameter, gradient)
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


class ASGD(_ByParameter):
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
        capturable: Accepted for compatibility; has no effect.

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
        gradient = _decayed(group, parameter, gradient)
        weights, gradient, average = _update.as_real([parameter, gradient, state["ax"]])
        eta, step = float(state["eta"]), float(state["step"])
        weights.mul_(1 - group["lambd"] * eta).sub_(gradient * eta)
        average.add_((weights - average) * float(state["mu"]))
        rate = group["lr"] / (1 + group["lambd"] * group["lr"] * step) ** group["alpha"]
        state["eta"].fill_(rate)
        state["mu"].fill_(1 / max(1.0, step - group["t0"]))


class Rprop(_ByParameter):
    """Resilient propagation: each element has a step of its own, and only signs count.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: The first step.
        etas: The factors of a step after a change of sign, and after none.
        step_sizes: The least and the greatest step.
        capturable: Accepted for compatibility; has no effect.
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
