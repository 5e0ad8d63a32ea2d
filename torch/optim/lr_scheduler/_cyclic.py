"""Schedulers whose rates rise again: cyclic learning rates and momentum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch.optim.lr_scheduler._base import (
    LRScheduler,
    _enable_get_lr_call,
    copy_rate,
    per_group,
    set_rate,
)
from torch.optim.optimizer import Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing that restarts at the base rate after each cycle.

    The cycles last T_0, T_0 T_mult, T_0 T_mult^2, ... epochs. After T_cur of the T_i epochs of a
    cycle, the rate is

        eta_min + (base - eta_min) * (1 + cos(pi * T_cur / T_i)) / 2

    as in Loshchilov and Hutter (2016), SGDR.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        T_0: Epochs of the first cycle.
        T_mult: Factor between the lengths of successive cycles.
        eta_min: Lowest rate.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        ValueError: If `T_0` or `T_mult` is not a positive integer or `eta_min` is not a number.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> for epoch in range(4):
        ...     print(round(scheduler.get_last_lr()[0], 4))
        ...     optimizer.step()
        ...     scheduler.step()
        1.0
        0.5
        1.0
        0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current epoch."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Move to the next epoch, or to a given one.

        Args:
            epoch: Epoch to move to. Fractions set the rate within an epoch.

        Raises:
            ValueError: If `epoch` is negative.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._locate_cycle(epoch)
        self.last_epoch = math.floor(epoch)
        with _enable_get_lr_call(self):
            rates = self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)
        self._last_lr = self._rates()

    def _locate_cycle(self, epoch: float) -> None:
        """Find the cycle that contains an epoch."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_i, self.T_cur = self.T_0, epoch % self.T_0
        else:
            cycle = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            start = self.T_0 * (self.T_mult**cycle - 1) / (self.T_mult - 1)
            self.T_i, self.T_cur = self.T_0 * self.T_mult**cycle, epoch - start


def _momentum_key(optimizer: Optimizer) -> str:
    """Return the setting that cycles: ``betas`` if the optimizer has it, otherwise ``momentum``."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )
    return "betas" if "betas" in optimizer.defaults else "momentum"


def _set_momentum(group: dict[str, Any], value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class CyclicLR(LRScheduler):
    """Learning rates that rise from base_lr to max_lr and fall back in each cycle.

    Momentum cycles in the opposite direction. See Smith (2015).

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        base_lr: Lowest rate, one for all groups or a list with one per group.
        max_lr: Highest rate, one for all groups or a list with one per group.
        step_size_up: Steps from `base_lr` to `max_lr`.
        step_size_down: Steps back to `base_lr`. The default is `step_size_up`.
        mode: ``triangular`` keeps the amplitude, ``triangular2`` halves it with every cycle, and
            ``exp_range`` multiplies it by `gamma` with every step.
        gamma: Factor of ``exp_range``.
        scale_fn: Function that computes the amplitude's scale. It replaces `mode`.
        scale_mode: Argument of `scale_fn`: ``cycle`` for the cycle's number, starting at 1, or
            ``iterations`` for the step's.
        cycle_momentum: If True, cycle ``momentum`` or the first of ``betas``.
        base_momentum: Momentum at the highest rate.
        max_momentum: Momentum at the lowest rate.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        TypeError: If `optimizer` is not an Optimizer.
        ValueError: If `mode` is unknown or the optimizer has no momentum to cycle.

    Example:
        >>> weight = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([weight], lr=1.0, momentum=0.9)
        >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 1.0, 3.0, step_size_up=2)
        >>> for step in range(5):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [1.0]
        [2.0]
        [3.0]
        [2.0]
        [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.optimizer = optimizer
        bases = per_group(optimizer, base_lr, "base_lr")
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, bases, strict=True):
                set_rate(group, rate)
        self.max_lrs = per_group(optimizer, max_lr, "max_lr")
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        exponential = scale_fn is None and mode == "exp_range"
        self.scale_mode = scale_mode if scale_fn else "iterations" if exponential else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _momentum_key(optimizer) == "betas"
            self.base_momentums = per_group(optimizer, base_momentum, "base_momentum")
            self.max_momentums = per_group(optimizer, max_momentum, "max_momentum")
            if last_epoch == -1:
                for group, high, low in zip(
                    optimizer.param_groups, self.max_momentums, self.base_momentums, strict=True
                ):
                    _set_momentum(group, high)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def scale_fn(self, x: float) -> float:
        """Return the scale of the amplitude for a cycle or step number `x`."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current step, and set its momentum."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        position = 1.0 + self.last_epoch / self.total_size - cycle
        ratio = self.step_ratio
        height = position / ratio if position <= ratio else (position - 1) / (ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            )
            for group, low, high in groups:
                _set_momentum(group, high - (high - low) * height * scale)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [base + (high - base) * height * scale for base, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer and a plain `scale_fn`."""
        state = super().state_dict()
        custom = state.pop("_scale_fn_custom")
        attributes = getattr(custom, "__dict__", None)
        state["_scale_fn_custom"] = dict(attributes) if attributes else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that state_dict() returned."""
        rest = {name: value for name, value in state_dict.items() if name != "_scale_fn_custom"}
        super().load_state_dict(rest)
        if state_dict.get("_scale_fn_custom"):
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])


class OneCycleLR(LRScheduler):
    """One rise of the learning rate to max_lr, followed by one fall far below the initial rate.

    The rate starts at ``max_lr / div_factor`` and ends at that divided by `final_div_factor`.
    Momentum moves in the opposite direction. See Smith and Topin (2017). Call step() after each
    batch.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        max_lr: Highest rate, one for all groups or a list with one per group.
        total_steps: Number of steps of the cycle.
        epochs: Number of epochs, if `total_steps` is not given.
        steps_per_epoch: Steps per epoch, if `total_steps` is not given.
        pct_start: Fraction of the steps in which the rate rises.
        anneal_strategy: ``cos`` or ``linear``.
        cycle_momentum: If True, change ``momentum`` or the first of ``betas`` too.
        base_momentum: Momentum at the highest rate.
        max_momentum: Momentum at the lowest rate.
        div_factor: Ratio of the highest to the initial rate.
        final_div_factor: Ratio of the initial to the final rate.
        three_phase: If True, return to the initial rate before falling below it.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        TypeError: If `optimizer` is not an Optimizer.
        ValueError: If a setting is outside its range or the number of steps is not given.

    Example:
        >>> weight = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
        >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(
        ...     optimizer, max_lr=1.0, total_steps=5, pct_start=0.4, anneal_strategy="linear"
        ... )
        >>> for step in range(4):
        ...     print(round(scheduler.get_last_lr()[0], 4))
        ...     optimizer.step()
        ...     scheduler.step()
        0.04
        1.0
        0.6667
        0.3333
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        self._schedule_phases = self._phases(pct_start, three_phase)
        peaks = per_group(optimizer, max_lr, "max_lr")
        if last_epoch == -1:
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["initial_lr"] = peak / div_factor
                group["max_lr"] = peak
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _momentum_key(optimizer) == "betas"
            highs = per_group(optimizer, max_momentum, "max_momentum")
            lows = per_group(optimizer, base_momentum, "base_momentum")
            if last_epoch == -1:
                for group, high, low in zip(optimizer.param_groups, highs, lows, strict=True):
                    _set_momentum(group, high)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _phases(self, rise: float, three: bool) -> list[dict[str, Any]]:
        """Return the phases: the last step of each, and the settings it moves from and to."""

        def phase(end: float, start: str, stop: str, momentum: tuple[str, str]) -> dict[str, Any]:
            return {
                "end_step": end,
                "start_lr": start,
                "end_lr": stop,
                "start_momentum": momentum[0],
                "end_momentum": momentum[1],
            }

        down, up = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
        top = float(rise * self.total_steps) - 1
        if not three:
            return [
                phase(top, "initial_lr", "max_lr", down),
                phase(self.total_steps - 1, "max_lr", "min_lr", up),
            ]
        flat = ("max_momentum", "max_momentum")
        return [
            phase(top, "initial_lr", "max_lr", down),
            phase(float(2 * rise * self.total_steps) - 2, "max_lr", "initial_lr", up),
            phase(self.total_steps - 1, "initial_lr", "min_lr", flat),
        ]

    # States of old versions name these two functions.
    @staticmethod
    def _annealing_linear(start: float, end: float, pct: float) -> float:
        return (end - start) * pct + start

    @staticmethod
    def _annealing_cos(start: float, end: float, pct: float) -> float:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    def _anneal(self, start: float, end: float, position: float) -> float:
        kind = getattr(self, "_anneal_func_type", None)
        if kind is None:
            return self.anneal_func(start, end, position)  # type: ignore[no-any-return]
        function = self._annealing_linear if kind == "linear" else self._annealing_cos
        return function(start, end, position)

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current step, and set its momentum.

        Raises:
            ValueError: If the scheduler has taken more than `total_steps` steps.
        """
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        start, rates = 0.0, []
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        position = (step - start) / (phase["end_step"] - start)
        for group in self.optimizer.param_groups:
            first, last = group[phase["start_lr"]], group[phase["end_lr"]]
            rates.append(self._anneal(copy_rate(first), last, position))
            if self.cycle_momentum:
                low, high = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._anneal(low, high, position))
        return rates


def _total_steps(total: int | None, epochs: int | None, per_epoch: int | None) -> int:
    """Return the number of steps: the given total, or epochs times steps per epoch."""
    if total is not None:
        if total <= 0 or not isinstance(total, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total}")
        return total
    if epochs is None or per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    if not isinstance(epochs, int) or epochs <= 0:
        raise ValueError(f"Expected positive integer epochs, but got {epochs}")
    if not isinstance(per_epoch, int) or per_epoch <= 0:
        raise ValueError(f"Expected positive integer steps_per_epoch, but got {per_epoch}")
    return epochs * per_epoch
