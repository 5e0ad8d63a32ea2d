"""The number of successes before a number of failures."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions._special import lgamma, poisson
from torch.distributions.distribution import _SIZE
from torch.distributions.gamma import Gamma

__all__ = ["NegativeBinomial"]


class NegativeBinomial(_Binary):
    """The number of successes before a number of failures.

    Args:
        total_count: The number of failures.
        probs: The probability of success.
        logits: The logit of that probability.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.NegativeBinomial(2.0, torch.tensor(0.5)).mean
        tensor(2.)
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(self, total_count: Any, probs=None, logits=None, validate_args=None):
        self._set_binary(probs, logits, validate_args, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)

    @property
    def mean(self):
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / torch.sigmoid(-self.logits)

    def sample(self, sample_shape=_SIZE):
        with torch.no_grad():
            gamma = Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)
            return poisson(gamma.sample(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        unnormalized = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(
            self.logits
        )
        normalization = (
            -lgamma(self.total_count + value) + lgamma(1.0 + value) + lgamma(self.total_count)
        )
        zero = self.total_count + value == 0.0
        return unnormalized - normalization.masked_fill(zero, 0.0)
