"""The Kumaraswamy distribution on (0, 1)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._special import digamma, lgamma
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import AffineTransform, PowerTransform
from torch.distributions.uniform import Uniform
from torch.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


@_own
class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution on (0, 1).

    Args:
        concentration1: The first shape parameter.
        concentration0: The second shape parameter.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Kumaraswamy(1.0, 1.0).mean
        tensor(0.5000)
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    _expanded_params = ("concentration1", "concentration0")

    def __init__(self, concentration1: Any, concentration0: Any, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base, transforms = self._rebuild(self, self.concentration1.shape)
        super().__init__(base, transforms, validate_args=validate_args)

    def _rebuild(self, old, shape):
        one = torch.ones_like(self.concentration0)
        base = Uniform(torch.zeros_like(one), one, validate_args=False)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        return base, transforms

    def _moment(self, n):
        """Return the n-th moment, by a beta function."""
        shift = 1 + n / self.concentration1
        log = lgamma(shift) + lgamma(self.concentration0) - lgamma(shift + self.concentration0)
        return self.concentration0 * torch.exp(log)

    @property
    def mean(self):
        return self._moment(1)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * (-b).log1p() - (-a * b).log1p()
        log_mode = torch.where((a < 1) | (b < 1), math.nan, log_mode)
        return log_mode.exp()

    @property
    def variance(self):
        return self._moment(2) - torch.pow(self.mean, 2)

    def entropy(self):
        t1 = 1 - self.concentration1.reciprocal()
        t0 = 1 - self.concentration0.reciprocal()
        h0 = digamma(self.concentration0 + 1) + euler_constant
        return t0 + t1 * h0 - torch.log(self.concentration1) - torch.log(self.concentration0)
