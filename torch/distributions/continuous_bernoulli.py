"""The continuous Bernoulli distribution on [0, 1]."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions._binary import _bce, _Binary
from torch.distributions.distribution import _SIZE
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(_Binary, ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1].

    Args:
        probs: The parameter, in (0, 1).
        logits: Its logit.
        lims: The interval around 0.5 where a Taylor series is used.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.ContinuousBernoulli(0.5).mean
        tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._lims = lims
        self._set_binary(probs, logits, validate_args)
        if probs is not None:
            self.probs = clamp_probs(self.probs)
            self._param = self.probs

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _after_expand(self, new):
        super()._after_expand(new)
        new._lims = self._lims

    def _outside(self):
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self):
        return torch.where(self._outside(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self):
        cut = self._cut()
        below = torch.where(cut <= 0.5, cut, 0.0)
        above = torch.where(cut >= 0.5, cut, 1.0)
        log_norm = torch.log(torch.abs(torch.log1p(-cut) - torch.log(cut))) - torch.where(
            cut <= 0.5, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0)
        )
        x = torch.pow(self.probs - 0.5, 2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._outside(), log_norm, taylor)

    @property
    def mean(self):
        cut = self._cut()
        mus = cut / (2.0 * cut - 1.0) + 1.0 / (torch.log1p(-cut) - torch.log(cut))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x
        return torch.where(self._outside(), mus, taylor)

    @property
    def stddev(self):
        return torch.sqrt(self.variance)

    @property
    def variance(self):
        cut = self._cut()
        square = torch.pow(torch.log1p(-cut) - torch.log(cut), 2)
        exact = cut * (cut - 1.0) / torch.pow(1.0 - 2.0 * cut, 2) + 1.0 / square
        x = torch.pow(self.probs - 0.5, 2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._outside(), exact, taylor)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -_bce(logits, value) + self._cont_bern_log_norm()

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut()
        powers = torch.pow(cut, value) * torch.pow(1.0 - cut, 1.0 - value)
        found = (powers + cut - 1.0) / (2.0 * cut - 1.0)
        unbounded = torch.where(self._outside(), found, value)
        return torch.where(
            torch.le(value, 0.0), 0.0, torch.where(torch.ge(value, 1.0), 1.0, unbounded)
        )

    def icdf(self, value):
        cut = self._cut()
        top = torch.log1p(-cut + value * (2.0 * cut - 1.0)) - torch.log1p(-cut)
        return torch.where(self._outside(), top / (torch.log(cut) - torch.log1p(-cut)), value)

    def entropy(self):
        log_probs0 = torch.log1p(-self.probs)
        log_probs1 = torch.log(self.probs)
        return self.mean * (log_probs0 - log_probs1) - self._cont_bern_log_norm() - log_probs0

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(outside, x, self._lims[0] - 0.5)
        log_norm = torch.log(torch.abs(torch.expm1(cut))) - torch.log(torch.abs(cut))
        taylor = 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0
        return torch.where(outside, log_norm, taylor)
