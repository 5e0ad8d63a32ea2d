"""SparseAdam."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters


class SparseAdam(Optimizer):
    """Adam for sparse gradients: rows without a gradient keep their values and averages.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or dictionaries of group settings.
        lr: Learning rate.
        betas: Decay rates of the averages of the gradient and its square.
        eps: Term added to the denominator.
        maximize: If True, increase the objective instead of decreasing it.

    Raises:
        ValueError: If a setting is out of range, or a parameter is sparse.

    Example:
        >>> table = torch.nn.Embedding(3, 1, sparse=True)
        >>> _ = torch.nn.init.ones_(table.weight)
        >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
        >>> table(torch.tensor([1])).sum().backward()
        >>> optimizer.step()
        >>> table.weight.detach().flatten()
        tensor([1.0000, 0.9000, 1.0000])
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        _update.check_learning_rate(lr)
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _update.check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [
            ([i, j], parameter)
            for i, group in enumerate(self.param_groups)
            for j, parameter in enumerate(group["params"])
        ]
        if sparse := [place for place, parameter in places if parameter.is_sparse]:
            raise ValueError(
                f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors"
            )
        if complexes := [place for place, parameter in places if parameter.is_complex()]:
            raise ValueError(
                f"Complex params at indices {complexes}: SparseAdam does not support complex "
                "parameters"
            )

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Update the rows of each parameter that its gradient has.

        Args:
            closure: A function that computes the gradients and returns the loss.

        Returns:
            The result of `closure`, if there is one.

        Raises:
            RuntimeError: If a gradient is dense.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if not parameter.grad.is_sparse:
                    raise RuntimeError(
                        "SparseAdam does not support dense gradients, please consider Adam instead"
                    )
                self._update(parameter, group)
        return loss

    def _update(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
        state["step"] += 1
        grad: Any = parameter.grad
        grad = grad.coalesce()
        places, values = tuple(grad.indices()), grad.values()
        if group["maximize"]:
            values = -values
        first, second = group["betas"]
        mean = state["exp_avg"][places].lerp_(values, 1 - first)
        square = state["exp_avg_sq"][places].lerp_(values * values, 1 - second)
        state["exp_avg"][places] = mean
        state["exp_avg_sq"][places] = square
        root = (1 - second ** state["step"]) ** 0.5
        step_size = float(group["lr"]) * root / (1 - first ** state["step"])
        parameter.index_put_(places, -step_size * mean / (square.sqrt() + group["eps"]), True)
