"""The Poisson distribution."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions._special import lgamma, poisson
from torch.distributions.distribution import _SIZE
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(Simple, ExponentialFamily):
    """The Poisson distribution.

    Args:
        rate: The mean.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Poisson(2.0).variance
        tensor(2.)
    """

    params = ("rate",)
    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None):
        self._set(rate, validate_args=validate_args)

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return self.rate.floor()

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=_SIZE):
        with torch.no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - lgamma(value + 1)

    @property
    def _natural_params(self):
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)
