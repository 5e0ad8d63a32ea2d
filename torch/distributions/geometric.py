"""The number of failures before the first success."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._binary import _bce, _Binary
from torch.distributions.distribution import _SIZE
from torch.distributions.utils import _all_true, broadcast_all

__all__ = ["Geometric"]


class Geometric(_Binary):
    """The number of failures before the first success.

    Args:
        probs: The probability of success.
        logits: The logit of that probability.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Geometric(0.25).mean
        tensor(3.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args=None):
        self._set_binary(probs, logits, validate_args)
        if self._validate_args and probs is not None and not _all_true(self.probs > 0):
            raise ValueError(
                f"Expected parameter probs of distribution {self!r} to be positive but found "
                f"invalid values:\n{self.probs}"
            )

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return torch.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        tiny = torch.finfo(self.probs.dtype).tiny
        with torch.no_grad():
            u = self.probs.new_empty(shape).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = torch.where((probs == 1) & (value == 0), 0.0, probs)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return _bce(self.logits, self.probs) / self.probs
