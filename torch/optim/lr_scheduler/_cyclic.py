"""Schedules that rise again: cycles of rates and of momentum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch.optim.lr_scheduler._base import LRScheduler, copy_rate, per_group, set_rate
from torch.optim.optimizer import Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines of T_0, T_0 T_mult, ... epochs, each from the base rate. SGDR (2016)."""

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
        """The rates of this epoch."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """The next epoch, or a given one, which may be a fraction."""
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
            self._place(epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            rates = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)
        self._last_lr = self._rates()

    def _place(self, epoch: float) -> None:
        """Finds the cycle that an epoch is in."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_i, self.T_cur = self.T_0, epoch % self.T_0
        else:
            cycle = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            start = self.T_0 * (self.T_mult**cycle - 1) / (self.T_mult - 1)
            self.T_i, self.T_cur = self.T_0 * self.T_mult**cycle, epoch - start


def _momentum_name(optimizer: Optimizer) -> str:
    """The setting that cycles: `momentum`, or the first of `betas`."""
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
    """Rates between base_lr and max_lr, up in step_size_up steps and down again. Smith (2015)."""

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
        self.step_size_up = float(step_size_up)
        down = self.step_size_up if step_size_down is None else float(step_size_down)
        self.total_size = self.step_size_up + down
        self.step_ratio = self.step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        exponential = scale_fn is None and mode == "exp_range"
        self.scale_mode = scale_mode if scale_fn else "iterations" if exponential else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _momentum_name(optimizer)
            self.base_momentums = per_group(optimizer, base_momentum, "base_momentum")
            self.max_momentums = per_group(optimizer, max_momentum, "max_momentum")
            if last_epoch == -1:
                for group, most, least in zip(
                    optimizer.param_groups, self.max_momentums, self.base_momentums, strict=True
                ):
                    _set_momentum(group, most)
                    group["max_momentum"] = most
                    group["base_momentum"] = least
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def scale_fn(self, x: float) -> float:
        """How high the cycle (or iteration) x is."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """The rates of this step; the momentum is set too."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        ratio = self.step_ratio
        height = place / ratio if place <= ratio else (place - 1) / (ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            groups = zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            )
            for group, least, most in groups:
                _set_momentum(group, most - (most - least) * height * scale)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [base + (most - base) * height * scale for base, most in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and a plain scale_fn."""
        state = super().state_dict()
        custom = state.pop("_scale_fn_custom")
        attributes = getattr(custom, "__dict__", None)
        state["_scale_fn_custom"] = dict(attributes) if attributes else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        rest = {name: value for name, value in state_dict.items() if name != "_scale_fn_custom"}
        super().load_state_dict(rest)
        if state_dict.get("_scale_fn_custom"):
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])


class OneCycleLR(LRScheduler):
    """One rise from max_lr / div_factor to max_lr, and one fall far below. Smith and Topin (2017)."""

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
            self.use_beta1 = _momentum_name(optimizer) == "betas"
            highs = per_group(optimizer, max_momentum, "max_momentum")
            lows = per_group(optimizer, base_momentum, "base_momentum")
            if last_epoch == -1:
                for group, high, low in zip(optimizer.param_groups, highs, lows, strict=True):
                    _set_momentum(group, high)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _phases(self, rise: float, three: bool) -> list[dict[str, Any]]:
        """The last step of each phase, and what it goes from and to."""

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

    def _between(self, start: float, end: float, place: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * place + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * place) + 1)

    def get_lr(self) -> list[Any]:
        """The rates of this step; the momentum is set too."""
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The total number of steps is {self.total_steps}"
            )
        start, rates = 0.0, []
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        place = (step - start) / (phase["end_step"] - start)
        for group in self.optimizer.param_groups:
            first, last = group[phase["start_lr"]], group[phase["end_lr"]]
            rates.append(self._between(copy_rate(first), last, place))
            if self.cycle_momentum:
                low, high = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._between(low, high, place))
        return rates


def _total_steps(total: int | None, epochs: int | None, per_epoch: int | None) -> int:
    """The number of steps, given directly or as epochs of steps."""
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
