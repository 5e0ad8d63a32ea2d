"""The uniform distribution on [low, high)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions.distribution import _SIZE
from torch.distributions.utils import _all_true

__all__ = ["Uniform"]


class Uniform(Simple):
    """The uniform distribution on [low, high).

    Args:
        low: The lower end.
        high: The upper end.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Uniform(0.0, 4.0).mean
        tensor(2.)
    """

    params = ("low", "high")
    has_rsample = True

    @property
    def arg_constraints(self):
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None):
        self._set(low, high, validate_args=validate_args)
        if self._validate_args and not _all_true(torch.lt(self.low, self.high)):
            raise ValueError("Uniform is not defined when low>= high")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def mode(self):
        return math.nan * self.high

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    @property
    def stddev(self):
        return (self.high - self.low) / 12**0.5

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        u = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return torch.log(self.high - self.low)
