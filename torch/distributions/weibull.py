"""The Weibull distribution."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._special import lgamma
from torch.distributions.exponential import Exponential
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import AffineTransform, PowerTransform
from torch.distributions.utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


@_own
class Weibull(TransformedDistribution):
    """The Weibull distribution.

    Args:
        scale: The scale.
        concentration: The shape parameter.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Weibull(2.0, 1.0).mean
        tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _expanded_params = ("scale", "concentration")

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base, transforms = self._rebuild(self, self.scale.shape)
        super().__init__(base, transforms, validate_args=validate_args)

    def _rebuild(self, old, shape):
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=False)
        transforms = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        return base, transforms

    @property
    def mean(self):
        return self.scale * torch.exp(lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self):
        ratio = (self.concentration - 1) / self.concentration
        return self.scale * ratio ** self.concentration.reciprocal()

    @property
    def variance(self):
        return self.scale.pow(2) * (
            torch.exp(lgamma(1 + 2 * self.concentration_reciprocal))
            - torch.exp(2 * lgamma(1 + self.concentration_reciprocal))
        )

    def entropy(self):
        return (
            euler_constant * (1 - self.concentration_reciprocal)
            + torch.log(self.scale * self.concentration_reciprocal)
            + 1
        )
