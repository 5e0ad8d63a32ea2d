"""LRScheduler: when rates change, and what a schedule remembers."""

from __future__ import annotations

import functools
import types
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.optim.optimizer import Optimizer

_EPOCH_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, where "
    "available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


def copy_rate(value: Any) -> Any:
    """A rate that later changes of the group do not reach."""
    return value.clone() if isinstance(value, Tensor) else value


def set_rate(group: dict[str, Any], rate: Any, name: str = "lr") -> None:
    """Changes a setting of a group; a tensor in place, since others may hold it."""
    if isinstance(group[name], Tensor):
        group[name].fill_(rate.item() if isinstance(rate, Tensor) else rate)
    else:
        group[name] = rate


def per_group(optimizer: Optimizer, value: Any, name: str) -> list[Any]:
    """A list with one value for each group; ValueError when its length is another."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"expected {count} values for {name}, got {len(value)}")
    return list(value)


class LRScheduler:
    """Sets the learning rates of an optimizer's groups, once per step().

    A subclass gives get_lr(): the rates of `last_epoch`, from those before it. Where it has
    _get_closed_form_lr(), step(epoch) can go anywhere.
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
        _count_steps(optimizer)
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
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last step set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of this epoch, one for each group."""
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
        """The next epoch, or a given one."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(_EPOCH_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                rates = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, rate)
        self._last_lr = self._rates()

    def _check_order(self) -> None:
        """The optimizer steps first; a schedule that goes first skips its first rate."""
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


def _count_steps(optimizer: Optimizer) -> None:
    """Lets the optimizer note that its step was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step: Callable[..., Any] = optimizer.step.__func__
    reference = weakref.ref(optimizer)

    @functools.wraps(step)
    def noted(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        owner = reference()
        if owner is not None:
            owner._opt_called = True
        return step(self, *args, **kwargs)

    noted._wrapped_by_lr_sched = True
    optimizer.step = types.MethodType(noted, optimizer)


def saved_functions(functions: Sequence[Any]) -> list[Any]:
    """What a state_dict keeps of functions: the attributes of callable objects, None for others."""
    plain = (types.FunctionType, types.BuiltinFunctionType)
    return [None if isinstance(fn, plain) else dict(fn.__dict__) for fn in functions]


def load_functions(functions: Sequence[Any], saved: Sequence[Any]) -> None:
    """Gives callable objects their saved attributes back."""
    for fn, attributes in zip(functions, saved, strict=True):
        if attributes is not None:
            fn.__dict__.update(attributes)
