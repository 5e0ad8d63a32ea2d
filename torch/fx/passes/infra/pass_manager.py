"""Run passes in an order that fulfils their constraints."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from torch.fx.graph_module import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]

Pass = Callable[[GraphModule], PassResult | None]
Constraint = Callable[[Any, Any], bool]


def pass_result_wrapper(fn: Callable[[GraphModule], Any] | None) -> Pass | None:
    """Return a pass that returns a PassResult, whatever the given one returns.

    Args:
        fn: A pass that may return a GraphModule, or None after it has changed its argument.

    Example:
        >>> from torch.fx.passes.infra.pass_manager import pass_result_wrapper
        >>> recompile = pass_result_wrapper(lambda module: print("seen"))
        >>> recompile(torch.fx.symbolic_trace(nn.ReLU())).modified
        seen
        True
    """
    if fn is None:
        return None

    def wrapped(module: GraphModule) -> PassResult:
        result = fn(module)
        if isinstance(result, PassResult):
            return result
        return PassResult(result if isinstance(result, GraphModule) else module, True)

    functools.update_wrapper(wrapped, fn if inspect.isfunction(fn) else type(fn))
    return wrapped


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """Return the constraint that one pass runs before another.

    Example:
        >>> from torch.fx.passes.infra.pass_manager import this_before_that_pass_constraint
        >>> this_before_that_pass_constraint(print, repr)(repr, print)
        False
    """
    return lambda first, second: not (first is that and second is this)


def _name(each: Any) -> str:
    return str(getattr(each, "__name__", type(each).__name__))


class PassManager:
    """Runs passes again and again until none changes the module, or as often as allowed.

    Args:
        passes: The passes, in their order unless the constraints ask for another.
        constraints: Functions of two passes: whether the first may run before the second.
        steps: How often to run all passes at most.
        run_checks_after_each_pass: Whether the checks run after each pass, instead of at the end.
        suppress_check_failures: Whether a failing check is ignored.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.infra.pass_manager import PassManager
        >>> PassManager([])(torch.fx.symbolic_trace(nn.ReLU())).modified
        False
    """

    def __init__(
        self,
        passes: list[Pass] | None = None,
        constraints: list[Constraint] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes = list(passes or [])
        self.constraints = list(constraints or [])
        self.steps = steps or 1
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._checks: list[Callable[[GraphModule], None]] = []

    def add_pass(self, _pass: Pass) -> None:
        """Add a pass at the end."""
        self.passes.append(_pass)

    def add_constraint(self, constraint: Constraint) -> None:
        """Add a constraint."""
        self.constraints.append(constraint)

    def add_checks(self, check: Callable[[GraphModule], None]) -> None:
        """Add a function that raises an error if a module is not as it must be.

        Raises:
            TypeError: If the function does not take one argument.
        """
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self._checks.append(check)

    def validate_constraints(self) -> None:
        """Check that the passes are in an order that fulfils the constraints.

        Raises:
            RuntimeError: If they are not.
        """
        for position, first in enumerate(self.passes):
            for second in self.passes[position + 1 :]:
                if not self._may_precede(first, second):
                    raise RuntimeError(
                        f"pass schedule constraint violated. Expected {second} before {first}, but "
                        f"found {first} at index {position}"
                    )

    def solve_constraints(self) -> None:
        """Bring the passes into an order that fulfils the constraints.

        Raises:
            RuntimeError: If there is none.
        """
        rest, ordered = list(self.passes), []
        while rest:
            free = (p for p in rest if all(self._may_precede(p, q) for q in rest if q is not p))
            following = next(free, None)
            if following is None:
                names = ", ".join(map(_name, rest))
                raise RuntimeError(
                    f"Circular dependency detected within the following passes: {names}"
                )
            rest.remove(following)
            ordered.append(following)
        self.passes = ordered

    def _may_precede(self, first: Pass, second: Pass) -> bool:
        return all(constraint(first, second) for constraint in self.constraints)

    def _run(self, index: int, module: GraphModule) -> PassResult:
        """Run a pass; its errors name it and those before it."""
        try:
            result = self.passes[index](module)
            if not isinstance(result, PassResult):
                raise TypeError(
                    "The result of a pass should be type PassResult; see pass_result_wrapper"
                )
        except Exception as error:
            name, *before = map(_name, (self.passes[index], *self.passes[:index]))
            raise type(error)(
                f"An error occurred when running the '{name}' pass after the following passes: "
                f"{before}\n{error}"
            ) from error
        return result

    def check(self, module: GraphModule) -> None:
        """Run the checks."""
        for check in self._checks:
            try:
                check(module)
            except Exception:
                if not self.suppress_check_failures:
                    raise

    def __call__(self, module: GraphModule) -> PassResult:
        """Run the passes; return the module and whether one changed it."""
        self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            changed_now = False
            for index in range(len(self.passes)):
                module, modified = self._run(index, module)
                changed_now |= modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed |= changed_now
            if not changed_now:
                break
        self.check(module)
        return PassResult(module, changed)
