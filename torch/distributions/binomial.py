"""The number of successes in a number of trials."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions._special import binomial, lgamma
from torch.distributions.distribution import _SIZE

__all__ = ["Binomial"]


class Binomial(_Binary):
    """The number of successes in a number of trials.

    Args:
        total_count: The number of trials.
        probs: The probability of success.
        logits: The logit of that probability.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Binomial(4, torch.tensor(0.5)).mean
        tensor(2.)
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(self, total_count: Any = 1, probs=None, logits=None, validate_args=None):
        self._set_binary(probs, logits, validate_args, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        log_n = lgamma(self.total_count + 1)
        log_k = lgamma(value + 1)
        log_rest = lgamma(self.total_count - value + 1)
        # The derivative of this maximum of 0 and the logit is 1 / 2 at 0.
        positive = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2
        normalized = (
            self.total_count * positive
            + self.total_count * torch.log1p(torch.exp(-torch.abs(self.logits)))
            - log_n
        )
        return value * self.logits - log_k - log_rest - normalized

    def entropy(self):
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError(
                "Inhomogeneous total count not supported by `enumerate_support`."
            )
        values = torch.arange(1 + total_count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
