"""A distribution on the simplex: normal values, transformed by stick breaking."""

from __future__ import annotations

from typing import Any

from torch.distributions import constraints
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


@_own
class LogisticNormal(TransformedDistribution):
    """A distribution on the simplex: normal values, transformed by stick breaking.

    Args:
        loc: The means.
        scale: The standard deviations.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).event_shape
        torch.Size([3])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self):
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.base_dist.scale
