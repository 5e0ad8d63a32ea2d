"""The generalized Pareto distribution."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions.distribution import _SIZE

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Simple):
    """The generalized Pareto distribution.

    Args:
        loc: The smallest value.
        scale: The scale.
        concentration: The shape parameter.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.0).mean
        tensor(1.)
    """

    params = ("loc", "scale", "concentration")
    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args=None):
        self._set(loc, scale, concentration, validate_args=validate_args)

    def _is_exponential(self):
        return torch.isclose(self.concentration, torch.zeros_like(self.concentration))

    def _nonzero_concentration(self):
        return torch.where(
            self._is_exponential(), torch.ones_like(self.concentration), self.concentration
        )

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        k = self._nonzero_concentration()
        return torch.where(
            self._is_exponential(), -z, -(1 + 1 / k) * torch.log1p(k * z)
        ) - torch.log(self.scale)

    def log_survival_function(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        k = self._nonzero_concentration()
        return torch.where(self._is_exponential(), -z, -torch.log1p(k * z) / k)

    def log_cdf(self, value):
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        k = self._nonzero_concentration()
        logu = torch.log1p(-value)
        curved = self.loc + self.scale * torch.expm1(-k * logu) / k
        return torch.where(self._is_exponential(), self.loc - self.scale * logu, curved)

    @property
    def mean(self):
        k = self.concentration
        return torch.where(k < 1, self.loc + self.scale / (1 - k), math.inf)

    @property
    def variance(self):
        k = self.concentration
        found = self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k))
        return torch.where(k < 0.5, found, math.inf)

    def entropy(self):
        return torch.log(self.scale) + self.concentration + 1

    @property
    def mode(self):
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, end, torch.inf))
