"""Schedules that are a formula of the epoch.

get_lr() changes the current rate by a factor, so that schedules can be chained; the closed form
starts from the base rate.
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


class _OfFunctions(LRScheduler):
    """A schedule by the user's functions, one for each group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: _Lambda | list[_Lambda], last_epoch: int = -1
    ) -> None:
        self.lr_lambdas = per_group(optimizer, lr_lambda, "lr_lambda")
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and plain functions."""
        state = super().state_dict()
        state["lr_lambdas"] = saved_functions(self.lr_lambdas)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave; functions stay as they are."""
        rest = {name: value for name, value in state_dict.items() if name != "lr_lambdas"}
        super().load_state_dict(rest)
        load_functions(self.lr_lambdas, state_dict["lr_lambdas"])


class LambdaLR(_OfFunctions):
    """base lr_lambda(epoch)."""

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * function(self.last_epoch) for function, base in pairs]


class MultiplicativeLR(_OfFunctions):
    """The last rate times lr_lambda(epoch)."""

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        self._warn_outside_step()
        rates = self._rates()
        if self.last_epoch <= 0 or self._is_initial:
            return rates
        pairs = zip(rates, self.lr_lambdas, strict=True)
        return [rate * function(self.last_epoch) for rate, function in pairs]


class _ByFactor(LRScheduler):
    """A schedule whose every step multiplies the rates by one factor."""

    def _factor(self) -> float:
        """What this epoch multiplies the last one's rates by."""
        raise NotImplementedError

    def _total(self) -> float:
        """The product of all factors up to this epoch."""
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        self._warn_outside_step()
        factor = self._factor()
        return self._rates() if factor == 1 else [rate * factor for rate in self._rates()]

    def _get_closed_form_lr(self) -> list[Any]:
        total = self._total()
        return [base * total for base in self.base_lrs]


class StepLR(_ByFactor):
    """gamma every step_size epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self.gamma if due else 1

    def _total(self) -> float:
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(_ByFactor):
    """gamma at each milestone."""

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

    def _total(self) -> float:
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ConstantLR(_ByFactor):
    """factor until total_iters, 1 from there."""

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

    def _total(self) -> float:
        return self.factor if self.last_epoch < self.total_iters else 1.0


class LinearLR(_ByFactor):
    """From start_factor to end_factor in total_iters epochs."""

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

    def _total(self) -> float:
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done


class ExponentialLR(_ByFactor):
    """gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return 1 if self.last_epoch == 0 or self._is_initial else self.gamma

    def _total(self) -> float:
        return self.gamma**self.last_epoch


class PolynomialLR(_ByFactor):
    """(1 - epoch / total_iters)^power."""

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

    def _total(self) -> float:
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return (1.0 - done) ** self.power


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the base rate down to eta_min in T_max epochs. Loshchilov and Hutter (2016)."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        self._warn_outside_step()
        rates = self._rates()
        epoch = self.last_epoch
        if epoch == 0:
            return rates
        if self._is_initial:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the last height was 0
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(rates, self.base_lrs, strict=True)
            return [rate + (base - self.eta_min) * rise for rate, base in pairs]
        ratio = self._height(epoch) / self._height(epoch - 1)
        return [ratio * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        height = self._height(self.last_epoch) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]
