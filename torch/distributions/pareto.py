"""The Pareto distribution."""

from __future__ import annotations

from typing import Any

from torch.distributions import constraints
from torch.distributions.exponential import Exponential
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import AffineTransform, ExpTransform
from torch.distributions.utils import broadcast_all

__all__ = ["Pareto"]


@_own
class Pareto(TransformedDistribution):
    """The Pareto distribution.

    Args:
        scale: The smallest value.
        alpha: The shape parameter.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Pareto(1.0, 2.0).mean
        tensor(2.)
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    _expanded_params = ("scale", "alpha")

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base, transforms = self._rebuild(self, self.scale.shape)
        super().__init__(base, transforms, validate_args=validate_args)

    def _rebuild(self, old, shape):
        base = Exponential(self.alpha, validate_args=False)
        return base, [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]

    @property
    def mean(self):
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self):
        return self.scale

    @property
    def variance(self):
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than_eq(self.scale)

    def entropy(self):
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
