"""Schedules made of schedules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from torch.optim.lr_scheduler._base import LRScheduler, copy_rate, set_rate
from torch.optim.optimizer import Optimizer


class _OfSchedules(LRScheduler):
    """What both kinds share: a list of schedules, saved one by one."""

    _schedulers: list[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """The schedules' states, and everything but the optimizer."""
        state = super().state_dict()
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        rest = {name: value for name, value in state_dict.items() if name != "_schedulers"}
        self.__dict__.update(rest)
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


def _check(name: str, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
    for index, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {index} has {scheduler.optimizer}, which is "
                f"different from {type(optimizer).__name__}."
            )


class SequentialLR(_OfSchedules):
    """One schedule after the other, changing at milestones."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        _check(type(self).__name__, optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each schedule took its first step when it was made: take them back, and start the first.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def recursive_undo(self, sched: LRScheduler | None = None) -> None:
        """Takes one epoch back, in all schedules below."""
        for scheduler in getattr(self if sched is None else sched, "_schedulers", ()):
            self.recursive_undo(scheduler)
        if sched is not None and hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self) -> None:
        """The next epoch."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_OfSchedules):
    """All schedules at every step, each changing what the last one left."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        _check(type(self).__name__, optimizer, schedulers)
        self._schedulers = list(schedulers)
        self.optimizer = optimizer
        self._last_lr = self._rates()

    def step(self) -> None:
        """The next epoch of all."""
        for scheduler in self._schedulers:
            scheduler.step()
        groups = self._schedulers[-1].optimizer.param_groups
        self._last_lr = [copy_rate(group["lr"]) for group in groups]
