"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.optim._list_steps import Tensors, overflowed, step_lists, unscaled
from torch.optim.adam import Adam
from torch.optim.optimizer import Parameters

__all__ = ["AdamW", "adamw"]


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
        capturable: Whether steps can be part of a CUDA graph; refused on the CPU.
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


def adamw(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    max_exp_avg_sqs: Tensors,
    state_steps: Tensors,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Run one step of AdamW.

    See `torch.optim.AdamW` for the formula and the settings. The lists have one tensor per
    parameter, and are changed in place.

    Example:
        >>> weight = torch.ones(1)
        >>> from torch.optim.adamw import adamw
        >>> adamw(
        ...     [weight], [torch.ones(1)], [torch.zeros(1)], [torch.zeros(1)], [], [torch.tensor(0.0)],
        ...     amsgrad=False, beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False,
        ... )
        >>> weight
        tensor([0.9000])
    """
    if overflowed(found_inf):
        return
    step_lists(
        AdamW,
        params,
        unscaled(grads, grad_scale),
        {
            "exp_avg": exp_avgs,
            "exp_avg_sq": exp_avg_sqs,
            "max_exp_avg_sq": max_exp_avg_sqs if amsgrad else [],
            "step": state_steps,
        },
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        amsgrad=amsgrad,
        maximize=maximize,
        foreach=foreach,
        fused=fused,
        differentiable=differentiable,
        decoupled_weight_decay=True,
    )
