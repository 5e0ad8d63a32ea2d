"""The Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions.distribution import _SIZE

__all__ = ["Cauchy"]


class Cauchy(Simple):
    """The Cauchy distribution.

    Args:
        loc: The median.
        scale: Half of the width at half of the maximum.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(0.0))
        tensor(0.5000)
    """

    params = ("loc", "scale")
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        self._set(loc, scale, validate_args=validate_args)

    @property
    def mean(self):
        return torch.full(self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return torch.full(self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        noise = torch.empty(shape, dtype=self.loc.dtype, device=self.loc.device).cauchy_()
        return self.loc + self.scale * noise

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (
            -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()
        )

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        angle = math.pi * (value - 0.5)
        return angle.sin() / angle.cos() * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
