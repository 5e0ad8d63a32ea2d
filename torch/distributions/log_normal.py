"""The distribution of exp(x) for a normal x."""

from __future__ import annotations

from typing import Any

from torch.distributions import constraints
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import ExpTransform

__all__ = ["LogNormal"]


@_own
class LogNormal(TransformedDistribution):
    """The distribution of exp(x) for a normal x.

    Args:
        loc: The mean of x.
        scale: The standard deviation of x.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.LogNormal(0.0, 1.0).mode
        tensor(0.3679)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def loc(self):
        return self.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        scale_sq = self.scale.pow(2)
        return scale_sq.expm1() * (2 * self.loc + scale_sq).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
