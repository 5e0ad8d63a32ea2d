"""Adafactor: squared gradients of a matrix are kept as one row and one column."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.optim._by_parameter import ByParameter
from torch.optim.optimizer import Parameters

__all__ = ["Adafactor"]


class Adafactor(ByParameter):
    """Adafactor: squared gradients of a matrix are kept as one row and one column.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: The greatest rate; it falls with the square root of the step.
        beta2_decay: Exponent of the decay rate of the squares.
        eps: The least square (the dtype's epsilon if None) and the least size of a parameter.
        d: The size at which updates are clipped.
        weight_decay: How much the parameters shrink in each step.
        foreach: Accepted for compatibility; has no effect.
        maximize: If True, increase the objective instead of decreasing it.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> weight = torch.ones(2, 2, requires_grad=True)
        >>> optimizer = torch.optim.Adafactor([weight])
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> bool((weight < 1).all())
        True
    """

    _added_later = frozenset()  # it has had all its settings from the start

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _new_state(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if parameter.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state: dict[str, Any] = {"step": torch.zeros((), dtype=torch.float32)}
        if parameter.dim() > 1:
            *_, rows, cols = parameter.shape
            state["row_var"] = parameter.new_zeros((*parameter.shape[:-2], rows, 1))
            state["col_var"] = parameter.new_zeros((*parameter.shape[:-2], 1, cols))
        else:
            state["variance"] = torch.zeros_like(parameter)
        return state

    def _step(
        self, group: dict[str, Any], parameter: Tensor, gradient: Tensor, state: dict[str, Any]
    ) -> None:
        least, smallest = group["eps"]
        least = torch.finfo(parameter.dtype).eps if least is None else least
        step, lr = float(state["step"]), float(group["lr"])
        weight = step ** group["beta2_decay"]
        count = math.sqrt(parameter.numel())
        size = max(smallest, float(parameter.norm(2)) / count) * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            parameter.mul_(1 - lr * group["weight_decay"])
        square = gradient * gradient
        if parameter.dim() > 1:
            rows, cols = state["row_var"], state["col_var"]
            rows.lerp_(square.mean(-1, keepdim=True), weight)
            cols.lerp_(square.mean(-2, keepdim=True), weight)
            variance = rows @ cols / rows.mean(-2, keepdim=True).clamp(min=least)
        else:
            variance = state["variance"].lerp_(square, weight)
        update = gradient * variance.clamp(min=least * least).rsqrt()
        clipped = max(1.0, float(update.norm(2)) / (count * group["d"]))
        parameter.add_(update, alpha=-size / clipped)
