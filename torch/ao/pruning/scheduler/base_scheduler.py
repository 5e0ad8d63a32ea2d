"""The base of schedules: it sets the share of zeros of each weight, once for each step."""

from __future__ import annotations

import functools
import warnings
import weakref
from typing import Any

from torch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["BaseScheduler"]


class BaseScheduler:
    """Base class of schedules; a subclass defines `get_sl`.

    Args:
        sparsifier: The sparsifier whose groups have a "sparsity_level".
        last_epoch: The number of the last step; -1 starts at the beginning.
        verbose: Whether each step is printed.

    Raises:
        TypeError: If the first argument is no sparsifier.

    Example:
        >>> from torch.ao.pruning import BaseScheduler, WeightNormSparsifier
        >>> class Half(BaseScheduler):
        ...     def get_sl(self):
        ...         return [group["sparsity_level"] / 2 for group in self.sparsifier.groups]
        >>> sparsifier = WeightNormSparsifier(sparsity_level=0.8)
        >>> sparsifier.prepare(nn.Sequential(nn.Linear(4, 4)), config=None)
        >>> Half(sparsifier).get_last_sl()
        [0.4]
    """

    def __init__(
        self, sparsifier: BaseSparsifier, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        if not isinstance(sparsifier, BaseSparsifier):
            raise TypeError(
                f"{type(sparsifier).__name__} is not an instance of torch.ao.pruning.BaseSparsifier"
            )
        self.sparsifier = sparsifier
        self.base_sl = [group["sparsity_level"] for group in sparsifier.groups]
        self.last_epoch = last_epoch
        self.sparsifier.step = _counted(sparsifier)  # type: ignore[method-assign]
        self.sparsifier._step_count = 0  # type: ignore[attr-defined]
        self._step_count = 0
        self.verbose = verbose
        self._get_sl_called_within_step = False
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state, without the sparsifier."""
        return {key: value for key, value in vars(self).items() if key != "sparsifier"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the result of `state_dict`."""
        vars(self).update(state_dict)

    def get_last_sl(self) -> list[float]:
        """Return the shares of zeros that the last step set."""
        return self._last_sl

    def get_sl(self) -> list[float]:
        """Return the share of zeros of each weight for the step `last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_sl")

    def print_sl(self, is_verbose: bool, group: Any, sl: float, epoch: int | None = None) -> None:
        """Print what a step sets."""
        if not is_verbose:
            return
        if epoch is None:
            print(f"Adjusting sparsity level of group {group} to {sl:.4e}.")
        else:
            print(f"Epoch {epoch:5d}: adjusting sparsity level of group {group} to {sl:.4e}.")

    def __repr__(self) -> str:
        text = f"{type(self).__name__} (\nSparsifier {self.sparsifier}\n"
        return f"{text}    base_sl: {self.base_sl}\n)"

    def step(self, epoch: int | None = None) -> None:
        """Set the share of zeros of each weight; call it after the sparsifier's `step`."""
        if self._step_count == 1:
            text = None
            if not hasattr(self.sparsifier.step, "_with_counter"):
                text = (
                    "Seems like `sparsifier.step()` has been overridden after sparsity scheduler "
                    "initialization. Please, make sure to call `sparsifier.step()` before "
                    "`scheduler.step()`."
                )
            elif self.sparsifier._step_count < 1:  # type: ignore[attr-defined]
                text = (
                    "Detected call of `scheduler.step()` before `sparsifier.step()`. You have to "
                    "make sure you run the sparsifier.step() BEFORE any calls to the "
                    "scheduler.step()."
                )
            if text is not None:
                warnings.warn(text, UserWarning, stacklevel=2)
        self._step_count += 1
        self._get_sl_called_within_step = True
        try:
            self.last_epoch += 1
            values = self.get_sl()
        finally:
            self._get_sl_called_within_step = False
        for number, (group, level) in enumerate(zip(self.sparsifier.groups, values, strict=False)):
            group["sparsity_level"] = level
            self.print_sl(self.verbose, number, level, epoch)
        self._last_sl = [group["sparsity_level"] for group in self.sparsifier.groups]
        self.sparsifier.enable_mask_update = True

    def _warn_outside_step(self) -> None:
        """Warn the caller of `get_sl`, which only `step` should call."""
        if not self._get_sl_called_within_step:
            warnings.warn(
                "To get the last sparsity level computed by the scheduler, please use "
                "`get_last_sl()`.",
                stacklevel=3,
            )

    def _make_sure_a_list(self, var: Any) -> list[Any]:
        """Return a value for each group; a single value is used for all."""
        count = len(self.sparsifier.groups)
        if not isinstance(var, (list, tuple)):
            return [var] * count
        if len(var) != count:
            raise ValueError(f"Expected variable of length {count}, but got {len(var)}")
        return list(var)


def _counted(sparsifier: BaseSparsifier) -> Any:
    """Return the sparsifier's `step`, which counts its calls from now on."""
    if hasattr(sparsifier.step, "_with_counter"):
        return sparsifier.step
    reference = weakref.ref(sparsifier)
    function = sparsifier.step.__func__  # type: ignore[attr-defined]

    @functools.wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        owner: Any = reference()
        owner._step_count += 1
        return function(owner, *args, **kwargs)

    step._with_counter = True  # type: ignore[attr-defined]
    return step
