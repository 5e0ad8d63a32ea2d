"""Schedulers composed of other schedulers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from torch.optim.lr_scheduler._base import LRScheduler, copy_rate, set_rate
from torch.optim.optimizer import Optimizer


class _CompositeScheduler(LRScheduler):
    """Base class of the schedulers that contain other schedulers."""

    _schedulers: list[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """Return the states of the inner schedulers and all attributes except the optimizer."""
        state = super().state_dict()
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that state_dict() returned."""
        rest = {name: value for name, value in state_dict.items() if name != "_schedulers"}
        self.__dict__.update(rest)
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


def _check_optimizers(name: str, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
    for index, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {index} has {scheduler.optimizer}, which is "
                f"different from {type(optimizer).__name__}."
            )


class SequentialLR(_CompositeScheduler):
    """A sequence of schedulers, each active between two milestones.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        schedulers: Schedulers of `optimizer`, in order.
        milestones: Epochs at which the next scheduler takes over: one fewer than `schedulers`.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        ValueError: If the numbers do not match or a scheduler belongs to another optimizer.
        TypeError: If a scheduler has no optimizer.

    Example:
        >>> schedulers = torch.optim.lr_scheduler
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> warmup = schedulers.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> decay = schedulers.ExponentialLR(optimizer, gamma=0.5)
        >>> scheduler = schedulers.SequentialLR(optimizer, [warmup, decay], milestones=[2])
        >>> for epoch in range(4):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [0.5]
        [0.5]
        [1.0]
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        _check_optimizers(type(self).__name__, optimizer, schedulers)
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
        # Each scheduler stepped once when it was created: undo those steps, and start the first.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        self.recursive_undo()
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def recursive_undo(self, sched: LRScheduler | None = None) -> None:
        """Move all inner schedulers, at every level, back by one epoch.

        Args:
            sched: Scheduler to start from. The default is this one.
        """
        for scheduler in getattr(self if sched is None else sched, "_schedulers", ()):
            self.recursive_undo(scheduler)
        if sched is not None and hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self) -> None:
        """Move to the next epoch."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_CompositeScheduler):
    """A list of schedulers that all step together, each changing the rates the previous one set.

    Args:
        schedulers: Schedulers of the same optimizer.
        optimizer: Their optimizer. The default is the first scheduler's.

    Raises:
        ValueError: If there is no scheduler or one belongs to another optimizer.
        TypeError: If a scheduler has no optimizer.

    Example:
        >>> schedulers = torch.optim.lr_scheduler
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> warmup = schedulers.ConstantLR(optimizer, factor=0.5, total_iters=1)
        >>> decay = schedulers.ExponentialLR(optimizer, gamma=0.5)
        >>> scheduler = schedulers.ChainedScheduler([warmup, decay])
        >>> for epoch in range(3):
        ...     print(scheduler.get_last_lr())
        ...     optimizer.step()
        ...     scheduler.step()
        [0.5]
        [0.5]
        [0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        _check_optimizers(type(self).__name__, optimizer, schedulers)
        self._schedulers = list(schedulers)
        self.optimizer = optimizer
        self._last_lr = self._rates()

    def step(self) -> None:
        """Step every scheduler once."""
        for scheduler in self._schedulers:
            scheduler.step()
        groups = self._schedulers[-1].optimizer.param_groups
        self._last_lr = [copy_rate(group["lr"]) for group in groups]
