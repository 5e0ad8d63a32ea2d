"""The F-distribution."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions._special import lgamma
from torch.distributions.distribution import _SIZE
from torch.distributions.gamma import Gamma

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Simple):
    """The F-distribution.

    Args:
        df1: The degrees of freedom of the numerator.
        df2: The degrees of freedom of the denominator.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.FisherSnedecor(2.0, 4.0).mean
        tensor(2.)
    """

    params = ("df1", "df2")
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None):
        self._set(df1, df2, validate_args=validate_args)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)

    def _after_expand(self, new):
        shape = new.df1.shape
        new._gamma1, new._gamma2 = self._gamma1.expand(shape), self._gamma2.expand(shape)

    @property
    def mean(self):
        df2 = torch.where(self.df2 <= 2, math.nan, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self):
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torch.where(self.df1 <= 2, math.nan, mode)

    @property
    def variance(self):
        df2 = torch.where(self.df2 <= 4, math.nan, self.df2)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        x1 = self._gamma1.rsample(sample_shape).view(shape)
        x2 = self._gamma2.rsample(sample_shape).view(shape)
        tiny = torch.finfo(x2.dtype).tiny
        return (x1 / x2.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        ct1 = self.df1 * 0.5
        ct2 = self.df2 * 0.5
        ct3 = self.df1 / self.df2
        t1 = lgamma(ct1 + ct2) - lgamma(ct1) - lgamma(ct2)
        t2 = ct1 * ct3.log() + (ct1 - 1) * torch.log(value)
        return t1 + t2 - (ct1 + ct2) * torch.log1p(ct3 * value)
