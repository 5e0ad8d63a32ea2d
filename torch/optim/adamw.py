"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.optim.adam import Adam
from torch.optim.optimizer import Parameters

__all__ = ["AdamW"]


class AdamW(Adam):
    """Adam with decoupled weight decay.

    Each step first multiplies the parameter by ``1 - lr * weight_decay`` and then applies Adam
    without a penalty, as in Loshchilov and Hutter (2017). See Adam for the formula and the errors.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        betas: Decay rates of the first and second moment, each in [0, 1).
        eps: Term added to the denominator.
        weight_decay: Decay applied to the parameter itself.
        amsgrad: If True, use the AMSGrad variant.
        maximize: If True, increase the objective instead of decreasing it.
        foreach: If True, update with separate operators instead of the fused kernel.
        capturable: Accepted for compatibility; has no effect.
        differentiable: If True, autograd records the update itself.
        fused: If False, update with separate operators. None and True use the fused kernel.

    Example:
        >>> weight = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
        >>> weight.square().sum().backward()
        >>> optimizer.step()
        >>> weight
        tensor([0.8500, 1.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
