"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions._special import digamma, lgamma, standard_gamma
from torch.distributions.distribution import _SIZE
from torch.distributions.utils import _standard_normal

__all__ = ["StudentT"]


class StudentT(Simple):
    """Student's t-distribution.

    Args:
        df: The degrees of freedom.
        loc: The location.
        scale: The scale.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.StudentT(3.0).variance
        tensor(3.)
    """

    params = ("df", "loc", "scale")
    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args=None):
        self._set(df, loc, scale, validate_args=validate_args)
        if self.df.dim() == 0 and self._batch_shape != self.df.shape:
            self._batch_shape = self.df.shape

    @property
    def mean(self):
        return torch.where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        m = torch.where(self.df > 2, finite, math.inf)
        return torch.where(self.df <= 1, math.nan, m)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, self.df.dtype, self.df.device)
        z = 2 * standard_gamma((self.df / 2).expand(shape))
        return self.loc + self.scale * x * torch.rsqrt(z / self.df)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        z = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + lgamma(0.5 * self.df)
            - lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - z

    def entropy(self):
        lbeta = lgamma(0.5 * self.df) + math.lgamma(0.5) - lgamma(0.5 * (self.df + 1))
        digammas = digamma(0.5 * (self.df + 1)) - digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * digammas + 0.5 * self.df.log() + lbeta
