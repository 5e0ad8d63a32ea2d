"""The Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._binary import _bce, _Binary
from torch.distributions.distribution import _SIZE
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(_Binary, ExponentialFamily):
    """The Bernoulli distribution.

    Args:
        probs: The probability of 1.
        logits: The logit of that probability.
        validate_args: Whether parameters and values are checked.

    Raises:
        ValueError: If not exactly one of `probs` and `logits` is given.

    Example:
        >>> torch.distributions.Bernoulli(0.25).log_prob(torch.tensor(1.0)).exp()
        tensor(0.2500)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args=None):
        self._set_binary(probs, logits, validate_args)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        mode = (self.probs >= 0.5).to(self.probs)
        return torch.where(self.probs == 0.5, math.nan, mode)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=_SIZE):
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -_bce(*broadcast_all(self.logits, value))

    def entropy(self):
        return _bce(self.logits, self.probs)

    def enumerate_support(self, expand=True):
        values = torch.arange(2, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values

    @property
    def _natural_params(self):
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x):
        return torch.log1p(torch.exp(x))
