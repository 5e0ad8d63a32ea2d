"""Schedulers that compute the rate from the epoch by a formula.

get_lr() multiplies the current rate by a factor, so that schedulers can be chained. The closed
form starts from the base rate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from torch.optim.lr_scheduler._base import (
    LRScheduler,
    load_functions,
    per_group,
    saved_functions,
)
from torch.optim.optimizer import Optimizer

_Lambda = Callable[[int], float]


class _FunctionLR(LRScheduler):
    """Base class of the schedulers driven by user functions, one per parameter group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: _Lambda | list[_Lambda], last_epoch: int = -1
    ) -> None:
        count = len(optimizer.param_groups)
        if isinstance(lr_lambda, (list, tuple)) and len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = per_group(optimizer, lr_lambda, "lr_lambda")
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer and plain functions."""
        state = super().state_dict()
        state["lr_lambdas"] = saved_functions(self.lr_lambdas)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that state_dict() returned. Plain functions do not change."""
        rest = {name: value for name, value in state_dict.items() if name != "lr_lambdas"}
        super().load_state_dict(rest)
        load_functions(self.lr_lambdas, state_dict["lr_lambdas"])


class LambdaLR(_FunctionLR):
    """The base rate times a function of the epoch.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        lr_lambda: Function of the epoch that returns the factor, or a list with one per group.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        ValueError: If the list's length differs from the number of groups.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
        >>> for epoch in range(3):
        ...     print(round(scheduler.get_last_lr()[0], 4))
        ...     optimizer.step()
        ...     scheduler.step()
        1.0
        0.5
        0.3333
    """

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current epoch."""
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * function(self.last_epoch) for function, base in pairs]


class MultiplicativeLR(_FunctionLR):
    """The previous rate times a function of the epoch.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        lr_lambda: Function of the epoch that returns the factor, or a list with one per group.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        ValueError: If the list's length differs from the number of groups.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> for epoch in range(3):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [1.0]
        [0.5]
        [0.25]
    """

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current epoch."""
        self._warn_outside_step()
        rates = self._rates()
        if self.last_epoch <= 0 or self._is_initial:
            return rates
        pairs = zip(rates, self.lr_lambdas, strict=True)
        return [rate * function(self.last_epoch) for rate, function in pairs]


class _FactorLR(LRScheduler):
    """Base class of the schedulers that multiply all rates by one factor per epoch."""

    def _factor(self) -> float:
        """Return the factor between the rates of the previous epoch and this one."""
        raise NotImplementedError

    def _cumulative_factor(self) -> float:
        """Return the product of all factors up to this epoch."""
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current epoch."""
        self._warn_outside_step()
        factor = self._factor()
        return self._rates() if factor == 1 else [rate * factor for rate in self._rates()]

    def _get_closed_form_lr(self) -> list[Any]:
        total = self._cumulative_factor()
        return [base * total for base in self.base_lrs]


class StepLR(_FactorLR):
    """The base rate, multiplied by gamma every step_size epochs.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        step_size: Epochs between two changes.
        gamma: Factor of each change.
        last_epoch: Epoch to resume from, or -1 to start.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for epoch in range(4):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [1.0]
        [1.0]
        [0.5]
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self.gamma if due else 1

    def _cumulative_factor(self) -> float:
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(_FactorLR):
    """The base rate, multiplied by gamma at each milestone.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        milestones: Epochs of the changes. A milestone listed twice counts twice.
        gamma: Factor of each change.
        last_epoch: Epoch to resume from, or -1 to start.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
        >>> for epoch in range(4):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [1.0]
        [0.5]
        [0.5]
        [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return (
            self.gamma ** self.milestones[self.last_epoch]
            if self.milestones[self.last_epoch]
            else 1
        )

    def _cumulative_factor(self) -> float:
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ConstantLR(_FactorLR):
    """The base rate times a constant factor, until total_iters epochs have passed.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        factor: Factor of the first epochs, between 0 and 1.
        total_iters: Number of epochs with the factor.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        ValueError: If `factor` is outside its range.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> for epoch in range(3):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [0.5]
        [0.5]
        [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else 1

    def _cumulative_factor(self) -> float:
        return self.factor if self.last_epoch < self.total_iters else 1.0


class LinearLR(_FactorLR):
    """The base rate times a factor that changes linearly over total_iters epochs.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        start_factor: Factor of the first epoch, above 0 and at most 1.
        end_factor: Factor from epoch `total_iters` on, between 0 and 1.
        total_iters: Number of epochs of the change.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        ValueError: If a factor is outside its range.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
        >>> for epoch in range(3):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [0.5]
        [0.75]
        [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return 1.0 + rise / before

    def _cumulative_factor(self) -> float:
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done


class ExponentialLR(_FactorLR):
    """The base rate times gamma^epoch.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        gamma: Factor of each epoch.
        last_epoch: Epoch to resume from, or -1 to start.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> for epoch in range(3):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [1.0]
        [0.5]
        [0.25]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return 1 if self.last_epoch == 0 or self._is_initial else self.gamma

    def _cumulative_factor(self) -> float:
        return self.gamma**self.last_epoch


class PolynomialLR(_FactorLR):
    """The base rate times (1 - epoch / total_iters)^power.

    The rate is 0 from epoch `total_iters` on.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        total_iters: Number of epochs until the rate is 0.
        power: Exponent.
        last_epoch: Epoch to resume from, or -1 to start.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
        >>> for epoch in range(3):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [1.0]
        [0.75]
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        epoch = self.last_epoch
        if self._is_initial or epoch == 0 or epoch > self.total_iters:
            return 1
        left = 1.0 - epoch / self.total_iters
        return (left / (1.0 - (epoch - 1) / self.total_iters)) ** self.power

    def _cumulative_factor(self) -> float:
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return (1.0 - done) ** self.power


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the base rate down to eta_min in T_max epochs.

    The rate of an epoch is

        eta_min + (base - eta_min) * (1 + cos(pi * epoch / T_max)) / 2

    as in Loshchilov and Hutter (2016), without restarts.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        T_max: Number of epochs until the rate is `eta_min`.
        eta_min: Lowest rate.
        last_epoch: Epoch to resume from, or -1 to start.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> for epoch in range(3):
        ...     print(round(scheduler.get_last_lr()[0], 4))
        ...     optimizer.step()
        ...     scheduler.step()
        1.0
        0.5
        0.0
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current epoch."""
        self._warn_outside_step()
        rates = self._rates()
        epoch = self.last_epoch
        if epoch == 0:
            return rates
        if self._is_initial:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the previous height was 0
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(rates, self.base_lrs, strict=True)
            return [rate + (base - self.eta_min) * rise for rate, base in pairs]
        ratio = self._height(epoch) / self._height(epoch - 1)
        return [ratio * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        height = self._height(self.last_epoch) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]
