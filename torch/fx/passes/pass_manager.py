"""Run functions on a module in an order that fulfils constraints: the first form of pass managers."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Iterable
from typing import Any

__all__ = [
    "PassManager",
    "inplace_wrapper",
    "log_hook",
    "loop_pass",
    "these_before_those_pass_constraint",
    "this_before_that_pass_constraint",
]

logger = logging.getLogger(__name__)
Pass = Callable[[Any], Any]


def inplace_wrapper(fn: Pass) -> Pass:
    """Return a pass that calls a function which changes its argument, and returns that argument.

    Example:
        >>> from torch.fx.passes.pass_manager import inplace_wrapper
        >>> inplace_wrapper(lambda items: items.append(1))([])
        [1]
    """

    @functools.wraps(fn)
    def wrapped(gm: Any) -> Any:
        fn(gm)
        return gm

    return wrapped


def log_hook(fn: Pass, level: int = logging.INFO) -> Pass:
    """Return a pass that logs its result.

    Example:
        >>> from torch.fx.passes.pass_manager import log_hook
        >>> log_hook(abs)(-1)
        1
    """

    @functools.wraps(fn)
    def wrapped(gm: Any) -> Any:
        result = fn(gm)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, result)
        return result

    return wrapped


def loop_pass(
    base_pass: Pass, n_iter: int | None = None, predicate: Callable[[Any], bool] | None = None
) -> Pass:
    """Return a pass that runs another one several times, or as long as a condition holds.

    Args:
        base_pass: The pass.
        n_iter: How often.
        predicate: The condition; one of both must be given.

    Example:
        >>> from torch.fx.passes.pass_manager import loop_pass
        >>> loop_pass(lambda x: 2 * x, n_iter=3)(1)
        8
    """
    if (n_iter is None) == (predicate is None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")

    @functools.wraps(base_pass)
    def wrapped(source: Any) -> Any:
        count = 0
        while predicate(source) if predicate is not None else count < (n_iter or 0):
            source = base_pass(source)
            count += 1
        return source

    return wrapped


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Callable[[Pass, Pass], bool]:
    """Return the constraint that one pass runs before another.

    Example:
        >>> from torch.fx.passes.pass_manager import this_before_that_pass_constraint
        >>> this_before_that_pass_constraint(print, repr)(repr, print)
        False
    """
    return lambda first, second: not (first == that and second == this)


def these_before_those_pass_constraint(these: Pass, those: Pass) -> Callable[[Pass, Pass], bool]:
    """Return the constraint for passes that wrappers hide: what they wrap is compared.

    Example:
        >>> from torch.fx.passes.pass_manager import (
        ...     loop_pass,
        ...     these_before_those_pass_constraint,
        ... )
        >>> constraint = these_before_those_pass_constraint(print, repr)
        >>> constraint(loop_pass(repr, 1), loop_pass(print, 1))
        False
    """
    return lambda first, second: (
        not (inspect.unwrap(first) == those and inspect.unwrap(second) == these)
    )


class PassManager:
    """Runs passes after each other.

    Args:
        passes: Functions of a module that return a module.
        constraints: Functions of two passes: whether the first may run before the second.

    Example:
        >>> from torch.fx.passes.pass_manager import PassManager
        >>> PassManager([lambda x: x + 1, lambda x: 10 * x])(1)
        20
    """

    passes: list[Pass]
    constraints: list[Callable[[Pass, Pass], bool]]

    def __init__(
        self,
        passes: Iterable[Pass] | None = None,
        constraints: Iterable[Callable[[Pass, Pass], bool]] | None = None,
    ) -> None:
        self.passes = list(passes or [])
        self.constraints = list(constraints or [])
        self._validated = False

    @classmethod
    def build_from_passlist(cls, passes: Iterable[Pass]) -> PassManager:
        """Return a manager of passes without constraints."""
        return cls(passes)

    def add_pass(self, _pass: Pass) -> None:
        """Add a pass at the end."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[[Pass, Pass], bool]) -> None:
        """Add a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def remove_pass(self, _passes: list[str]) -> None:
        """Remove the passes of these names."""
        self.passes = [each for each in self.passes if each.__name__ not in _passes]
        self._validated = False

    def replace_pass(self, _target: Pass, _replacement: Pass) -> None:
        """Replace the passes with the name of one by another."""
        name = _target.__name__
        self.passes = [_replacement if each.__name__ == name else each for each in self.passes]
        self._validated = False

    def validate(self) -> None:
        """Check the constraints.

        Raises:
            RuntimeError: If two passes are in an order that a constraint forbids.
        """
        if self._validated:
            return
        for constraint in self.constraints:
            for place, first in enumerate(self.passes):
                for second in self.passes[place + 1 :]:
                    if not constraint(first, second):
                        raise RuntimeError(
                            f"pass schedule constraint violated. Expected {first} before {second}"
                            f" but found {first} at index {place} and {second} at index "
                            f"{self.passes.index(second)} in pass list."
                        )
        self._validated = True

    def __call__(self, source: Any) -> Any:
        """Run the passes."""
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
