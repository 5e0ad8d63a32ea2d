"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim import _update
from torch.optim.optimizer import Optimizer, Parameters

__all__ = ["LBFGS"]


class _Point(NamedTuple):
    """A place on the line: the step, the loss, the gradient and its slope along the line."""

    t: Any  # numbers, or tensors of no dimension with the precision of the parameters
    loss: float
    gradient: Tensor
    slope: Any


def _cubic_interpolate(
    x1: float,
    f1: float,
    g1: Any,
    x2: float,
    f2: float,
    g2: Any,
    bounds: tuple[float, float] | None = None,
) -> Any:
    """Return where the cubic through two points with their slopes is least, within bounds.

    Nocedal and Wright, "Numerical Optimization", equation (3.59). Libraries import this name.

    Args:
        x1: The first place.
        f1: The value there.
        g1: The slope there, a number or a tensor.
        x2: The second place.
        f2: The value there.
        g2: The slope there.
        bounds: The range of the result; between the two places if None.
    """
    low, high = (min(x1, x2), max(x1, x2)) if bounds is None else bounds
    if x1 > x2:
        x1, f1, g1, x2, f2, g2 = x2, f2, g2, x1, f1, g1
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if not square >= 0:
        return (low + high) / 2
    d2 = square**0.5
    minimum = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    return min(max(minimum, low), high)


def _between(a: _Point, b: _Point, low: Any, high: Any) -> Any:
    return _cubic_interpolate(a.t, a.loss, a.slope, b.t, b.loss, b.slope, bounds=(low, high))


class _LineSearch:
    """Finds a step that satisfies the strong Wolfe conditions (algorithms 3.5 and 3.6 there)."""

    def __init__(
        self,
        evaluate: Callable[[float], _Point],
        start: _Point,
        length: Any,
        decrease: float,
        curvature: float,
        most: int,
    ) -> None:
        self.evaluate = evaluate
        self.start = start
        self.length = length  # the greatest element of the direction
        self.decrease, self.curvature, self.most = decrease, curvature, most
        self.evaluations = 0

    def _at(self, t: float) -> _Point:
        self.evaluations += 1
        return self.evaluate(t)

    def _too_high(self, point: _Point) -> bool:
        return point.loss > self.start.loss + self.decrease * point.t * self.start.slope

    def _is_flat(self, point: _Point) -> bool:
        return abs(point.slope) <= -self.curvature * self.start.slope

    def run(self, t: float, tolerance: float) -> _Point:
        previous, point = self.start, self._at(t)
        for step in range(self.most):
            if self._too_high(point) or (step > 1 and point.loss >= previous.loss):
                return self._zoom(previous, point, self.most - step, tolerance)
            if self._is_flat(point):
                return point
            if point.slope >= 0:
                return self._zoom(previous, point, self.most - step, tolerance)
            low, high = point.t + 0.01 * (point.t - previous.t), point.t * 10
            following = _between(previous, point, low, high)
            previous, point = point, self._at(following)
        return self.start if self.start.loss <= point.loss else point

    def _zoom(self, a: _Point, b: _Point, rounds: int, tolerance: float) -> _Point:
        best, other = (a, b) if a.loss <= b.loss else (b, a)
        stalled = False
        for _ in range(rounds):
            low, high = min(best.t, other.t), max(best.t, other.t)
            if (high - low) * self.length < tolerance:
                break
            t = _between(best, other, low, high)
            # A trial near an end of the bracket moves inwards, at the latest the second time.
            margin = 0.1 * (high - low)
            if min(high - t, t - low) < margin:
                if stalled or t >= high or t <= low:
                    t = high - margin if abs(t - high) < abs(t - low) else low + margin
                    stalled = False
                else:
                    stalled = True
            else:
                stalled = False
            point = self._at(t)
            if self._too_high(point) or point.loss >= best.loss:
                other = point
                if other.loss < best.loss:
                    best, other = other, best
                continue
            if self._is_flat(point):
                return point
            if point.slope * (other.t - best.t) >= 0:
                other = best
            best = point
        return best


def _number(loss: Any) -> float:
    """Return a loss, a tensor or a number, as a number."""
    return float(loss.detach() if isinstance(loss, torch.Tensor) else loss)


def _strong_wolfe(
    obj_func: Callable[[Any, float, Tensor], tuple[Any, Tensor]],
    x: Any,
    t: float,
    d: Tensor,
    f: Any,
    g: Tensor,
    gtd: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:
    """Search along a direction for a step that satisfies the strong Wolfe conditions.

    Libraries import this name.

    Args:
        obj_func: Returns the loss and its flat gradient at `x + t * d`, given `x`, `t` and `d`.
        x: The place where the search begins, as `obj_func` takes it.
        t: The first step to try.
        d: The direction, flat.
        f: The loss at `x`.
        g: The gradient there.
        gtd: The slope there: the product of `g` and `d`.
        c1: The factor of the sufficient decrease.
        c2: The factor of the curvature.
        tolerance_change: The size of the bracket at which to stop.
        max_ls: The most steps.

    Returns:
        The loss, the gradient and the length of the step that was found, and the number of evaluations.
    """

    def at(step: float) -> _Point:
        loss, gradient = obj_func(x, step, d)
        # The objective may compute each gradient into the same memory.
        kept = gradient.clone(memory_format=torch.contiguous_format)
        return _Point(step, _number(loss), kept, kept.dot(d))

    origin = _Point(0.0, _number(f), g.clone(), gtd)
    search = _LineSearch(at, origin, d.abs().max(), c1, c2, max_ls)
    point = search.run(t, tolerance_change)
    return point.loss, point.gradient, point.t, search.evaluations


class LBFGS(Optimizer):
    """L-BFGS: quasi-Newton steps from the last gradients, for one group of parameters.

    ``step`` needs a closure that computes the loss and the gradients again.

    Args:
        params: Parameters, ``(name, parameter)`` pairs, or one dictionary of settings.
        lr: Learning rate: the factor of each step.
        max_iter: The most iterations of one call of ``step``.
        max_eval: The most calls of the closure; 1.25 times `max_iter` if None.
        tolerance_grad: The gradient at which to stop.
        tolerance_change: The change of the parameters or of the loss at which to stop.
        history_size: How many gradients are kept.
        line_search_fn: None or "strong_wolfe".

    Raises:
        ValueError: If there are several groups, or a setting is outside its range.
        RuntimeError: If the line search is unknown.

    Example:
        >>> weight = torch.tensor([3.0, 4.0], requires_grad=True)
        >>> optimizer = torch.optim.LBFGS([weight], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = weight.square().sum()
        ...     loss.backward()
        ...     return loss
        >>> loss = optimizer.step(closure)
        >>> bool((weight.abs() < 1e-3).all())
        True
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        _update.check_learning_rate(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _flat_gradient(self) -> Tensor:
        parts = [torch.zeros_like(p) if p.grad is None else p.grad for p in self._params]
        return torch.cat([part.reshape(-1) for part in _update.as_real(parts)])

    def _move(self, start: list[Tensor], step: float, direction: Tensor) -> None:
        offset = 0
        for parameter, origin in zip(self._params, start, strict=True):
            (weights,), (base,) = _update.as_real([parameter]), _update.as_real([origin])
            part = direction[offset : offset + weights.numel()].view_as(weights)
            weights.copy_(torch.add(base, part, alpha=step))
            offset += weights.numel()

    def _direction(self, state: dict[str, Any], gradient: Tensor, size: int) -> Tensor:
        """Return the quasi-Newton direction by the two-loop recursion."""
        steps, differences, weights = state["old_stps"], state["old_dirs"], state["ro"]
        direction, factors = -gradient, []
        for step, difference, weight in zip(
            reversed(steps), reversed(differences), reversed(weights), strict=True
        ):
            factors.append(step.dot(direction) * weight)
            direction = torch.add(direction, difference, alpha=-factors[-1])
        factors.reverse()
        # PyTorch writes into a list of this length, also one that it loads.
        state["al"] = factors + [None] * (size - len(factors))
        direction = direction * state["H_diag"]
        for step, difference, weight, factor in zip(
            steps, differences, weights, factors, strict=True
        ):
            rest = factor - difference.dot(direction) * weight
            direction = torch.add(direction, step, alpha=rest)
        return direction

    def _remember(self, state: dict[str, Any], gradient: Tensor, size: int) -> None:
        difference = gradient - state["prev_flat_grad"]
        step = state["d"] * state["t"]
        curvature = difference.dot(step)
        if curvature > 1e-10:
            if len(state["old_dirs"]) == size:
                for name in ("old_dirs", "old_stps", "ro"):
                    state[name].pop(0)
            state["old_dirs"].append(difference)
            state["old_stps"].append(step)
            state["ro"].append(1.0 / curvature)
            state["H_diag"] = curvature / difference.dot(difference)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to ``max_iter`` steps, and return the loss of the first evaluation.

        Args:
            closure: Clears the gradients, computes the loss and its gradients, and returns it.
        """
        group = self.param_groups[0]
        evaluate = torch.enable_grad()(closure)
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = evaluate()
        loss, calls = _number(first), 1
        state["func_evals"] += 1
        gradient = self._flat_gradient()
        if float(gradient.abs().max()) <= group["tolerance_grad"]:
            return first
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
                direction = -gradient
            else:
                self._remember(state, gradient, group["history_size"])
                direction = self._direction(state, gradient, group["history_size"])
            rate = float(group["lr"])
            t = min(1.0, 1.0 / gradient.abs().sum()) * rate if state["n_iter"] == 1 else rate
            slope = gradient.dot(direction)
            state.update(d=direction, prev_flat_grad=gradient.clone(), prev_loss=loss, t=t)
            if slope > -group["tolerance_change"]:
                break
            used = 0
            if group["line_search_fn"] is None:
                self._move([p.clone() for p in self._params], t, direction)
                if iteration != group["max_iter"]:
                    loss, used = _number(evaluate()), 1
                    gradient = self._flat_gradient()
            else:
                loss, gradient, t, used = self._searched(evaluate, group, state, loss, gradient)
                state["t"] = t
            calls += used
            state["func_evals"] += used
            if (
                calls >= group["max_eval"]
                or float(gradient.abs().max()) <= group["tolerance_grad"]
                or float((direction * t).abs().max()) <= group["tolerance_change"]
                or abs(loss - state["prev_loss"]) < group["tolerance_change"]
            ):
                break
        return first

    def _searched(
        self,
        evaluate: Callable[[], Any],
        group: dict[str, Any],
        state: dict[str, Any],
        loss: float,
        gradient: Tensor,
    ) -> tuple[float, Tensor, float, int]:
        """Search along the direction, move there, and return the point and the evaluations."""
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")

        def objective(start: list[Tensor], t: float, direction: Tensor) -> tuple[Any, Tensor]:
            self._move(start, t, direction)
            return evaluate(), self._flat_gradient()

        direction, start = state["d"], [p.clone() for p in self._params]
        found = _strong_wolfe(
            objective,
            start,
            state["t"],
            direction,
            loss,
            gradient,
            gradient.dot(direction),
            tolerance_change=group["tolerance_change"],
        )
        self._move(start, found[2], direction)
        return found
