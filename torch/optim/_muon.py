"""Muon: momentum whose matrices are made orthogonal; for matrices only."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.optim._by_parameter import ByParameter
from torch.optim.optimizer import Parameters

__all__ = ["Muon"]


def _orthogonal(
    matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> Tensor:
    """Return a nearly orthogonal matrix with the same singular vectors (Newton and Schulz)."""
    linear, cubic, quintic = coefficients
    x = matrix.bfloat16()
    turned = x.size(0) > x.size(1)
    x = x.T if turned else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=cubic, alpha=quintic), x, beta=linear)
    return x.T if turned else x


class Muon(ByParameter):
    """Muon: momentum whose matrices are made orthogonal; for matrices only.

    Args:
        params: Matrices, ``(name, matrix)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        weight_decay: How much the parameters shrink in each step.
        momentum: Decay rate of past gradients.
        nesterov: Whether the momentum is Nesterov's.
        ns_coefficients: The coefficients of the iteration that makes a matrix orthogonal.
        eps: The least norm by which a matrix is divided.
        ns_steps: The number of iterations.
        adjust_lr_fn: How the rate depends on the shape: "original" (also if None) or
            "match_rms_adamw".

    Raises:
        ValueError: If a setting is outside its range, or a parameter is no matrix.

    Example:
        >>> weight = torch.eye(2, requires_grad=True)
        >>> optimizer = torch.optim.Muon([weight], lr=0.1)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> bool(weight[0, 0] < 1)
        True
    """

    _added_later = frozenset()  # it has had all its settings from the start

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.dim() != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{parameter.size()}"
                    )

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if parameter.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": torch.zeros_like(parameter)}

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        buffer = state["momentum_buffer"].lerp_(gradient, 1 - group["momentum"])
        update = gradient.lerp(buffer, group["momentum"]) if group["nesterov"] else buffer
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, cols = parameter.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            factor = 0.2 * math.sqrt(max(rows, cols))
        else:
            factor = math.sqrt(max(1, rows / cols))
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
        parameter.add_(update, alpha=-group["lr"] * factor)
