"""Transforms from real numbers to sets of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A table from constraints to functions that make transforms.

    Example:
        >>> from torch.distributions import biject_to, constraints
        >>> biject_to(constraints.unit_interval)
        SigmoidTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[..., Any]] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Register a function for the type of a constraint; without it, return a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                f"{constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return a transform to the set."""
        try:
            factory = self._registry[type(constraint)]
        except KeyError:
            raise NotImplementedError(
                f"Cannot transform {type(constraint).__name__} constraints"
            ) from None
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()
_BOTH = (biject_to, transform_to)


def _register(constraint: Any, factory: Any, registries: Any = _BOTH) -> None:
    for registry in registries:
        registry.register(constraint, factory)


def _affine(loc: Any, scale: Any, first: Any) -> Any:
    return transforms.ComposeTransform([first, transforms.AffineTransform(loc, scale)])


def _interval(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return _affine(low, high - low, transforms.SigmoidTransform())


_register(constraints.real, lambda _: transforms.identity_transform)
_register(constraints.greater_than, lambda c: _affine(c.lower_bound, 1, transforms.ExpTransform()))
_register(
    constraints.greater_than_eq, lambda c: _affine(c.lower_bound, 1, transforms.ExpTransform())
)
_register(constraints.less_than, lambda c: _affine(c.upper_bound, -1, transforms.ExpTransform()))
_register(constraints.interval, _interval)
_register(constraints.half_open_interval, _interval)
_register(constraints.simplex, lambda _: transforms.StickBreakingTransform(), (biject_to,))
_register(constraints.simplex, lambda _: transforms.SoftmaxTransform(), (transform_to,))
_register(
    constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform(), (transform_to,)
)
for _matrix in (constraints.positive_definite, constraints.positive_semidefinite):
    _register(_matrix, lambda _: transforms.PositiveDefiniteTransform(), (transform_to,))
_register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
for _table in _BOTH:
    _table.register(
        constraints.independent,
        lambda c, table=_table: transforms.IndependentTransform(
            table(c.base_constraint), c.reinterpreted_batch_ndims
        ),
    )
    _table.register(
        constraints.cat,
        lambda c, table=_table: transforms.CatTransform(
            [table(each) for each in c.cseq], c.dim, c.lengths
        ),
    )
    _table.register(
        constraints.stack,
        lambda c, table=_table: transforms.StackTransform([table(e) for e in c.cseq], c.dim),
    )
