"""The distribution of 1 / x for a gamma x."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._special import digamma, lgamma
from torch.distributions.gamma import Gamma
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import PowerTransform

__all__ = ["InverseGamma"]


@_own
class InverseGamma(TransformedDistribution):
    """The distribution of 1 / x for a gamma x.

    Args:
        concentration: The shape parameter.
        rate: The rate of x, the scale of 1 / x.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.InverseGamma(3.0, 4.0).mean
        tensor(2.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        power = PowerTransform(-torch.ones_like(base.rate))
        super().__init__(base, power, validate_args=validate_args)

    @property
    def concentration(self):
        return self.base_dist.concentration

    @property
    def rate(self):
        return self.base_dist.rate

    @property
    def mean(self):
        result = self.rate / (self.concentration - 1)
        return torch.where(self.concentration > 1, result, math.inf)

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        result = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return torch.where(self.concentration > 2, result, math.inf)

    def entropy(self):
        return (
            self.concentration
            + self.rate.log()
            + lgamma(self.concentration)
            - (1 + self.concentration) * digamma(self.concentration)
        )
