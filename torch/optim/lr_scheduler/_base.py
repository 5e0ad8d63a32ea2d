"""LRScheduler: when learning rates change, and what a scheduler stores."""

from __future__ import annotations

import functools
import types
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.optim.optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, where "
    "available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


def copy_rate(value: Any) -> Any:
    """Return a learning rate that later in-place changes of the group do not affect."""
    return value.clone() if isinstance(value, Tensor) else value


def set_rate(group: dict[str, Any], rate: Any, name: str = "lr") -> None:
    """Change a setting of a group, in place if it is a tensor that others may hold."""
    if isinstance(group[name], Tensor):
        group[name].fill_(rate.item() if isinstance(rate, Tensor) else rate)
    else:
        group[name] = rate


def per_group(optimizer: Optimizer, value: Any, name: str) -> list[Any]:
    """Return a list with one value per parameter group.

    Raises:
        ValueError: If `value` is a sequence of another length.
    """
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [copy_rate(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} "
            f"values, param_groups has {count}."
        )
    return [copy_rate(item) for item in value]


class _enable_get_lr_call:
    """Context manager of a scheduler's step, inside which `get_lr` does not warn.

    Args:
        o: The scheduler.
    """

    def __init__(self, o: LRScheduler) -> None:
        self.o = o

    def __enter__(self) -> _enable_get_lr_call:
        self.o._get_lr_called_within_step = True
        return self

    def __exit__(self, *error: object) -> None:
        self.o._get_lr_called_within_step = False


class LRScheduler:
    """Base class of the learning rate schedulers.

    A subclass overrides get_lr(), which computes the rates of `last_epoch` from the current ones.
    A subclass that also has _get_closed_form_lr() can jump to any epoch.

    Args:
        optimizer: Optimizer whose learning rates the scheduler sets.
        last_epoch: Epoch to resume from, or -1 to start.

    Raises:
        TypeError: If `optimizer` is not an Optimizer.
        KeyError: If training resumes and a group has no ``initial_lr``.

    Example:
        >>> class HalvingLR(torch.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [base / 2**self.last_epoch for base in self.base_lrs]
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = HalvingLR(optimizer)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copy_rate(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    "param 'initial_lr' is not specified in "
                    f"param_groups[{index}] when resuming scheduler with last_epoch >= 0."
                )
        self.base_lrs = [copy_rate(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _track_optimizer_steps(optimizer)
        self._step_count = 0
        self._is_initial = False
        self._get_lr_called_within_step = False
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a dictionary that state_dict() returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates that the last step set, one per parameter group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Compute the learning rates of the current epoch, one per parameter group."""
        raise NotImplementedError

    def _rates(self) -> list[Any]:
        return [copy_rate(group["lr"]) for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                stacklevel=3,
            )

    def step(self, epoch: int | None = None) -> None:
        """Move to the next epoch and set its learning rates.

        Call it after ``optimizer.step()``.

        Args:
            epoch: Epoch to move to. Deprecated.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
            >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
            >>> optimizer.step()
            >>> scheduler.step()
            >>> optimizer.param_groups[0]["lr"]
            0.5
        """
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with _enable_get_lr_call(self):
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                rates = self.get_lr() if closed is None else closed()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)
        self._last_lr = self._rates()

    def _check_order(self) -> None:
        """Warn if the scheduler steps before the optimizer, which skips the first learning rate."""
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                "`lr_scheduler.step()`. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
                "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
                "the first value of the learning rate schedule. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                stacklevel=3,
            )


def _track_optimizer_steps(optimizer: Optimizer) -> None:
    """Wrap the optimizer's step so that it records having been called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step: Callable[..., Any] = optimizer.step.__func__
    # The optimizer holds this function, which must not hold the optimizer.
    reference = weakref.ref(optimizer)

    @functools.wraps(step)
    def tracked_step(*args: Any, **kwargs: Any) -> Any:
        owner: Any = reference()
        owner._opt_called = True
        return step(owner, *args, **kwargs)

    tracked_step._wrapped_by_lr_sched = True
    optimizer.step = tracked_step


def saved_functions(functions: Sequence[Any]) -> list[Any]:
    """Return the part of each function that a state dictionary stores.

    Callable objects store their attributes. Plain functions store None.
    """
    plain = (types.FunctionType, types.BuiltinFunctionType)
    return [None if isinstance(fn, plain) else dict(fn.__dict__) for fn in functions]


def load_functions(functions: Sequence[Any], saved: Sequence[Any]) -> None:
    """Restore the saved attributes of callable objects."""
    for fn, attributes in zip(functions, saved, strict=True):
        if attributes is not None:
            fn.__dict__.update(attributes)
