"""A distribution over one-hot vectors; see `Categorical`."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.distributions import constraints
from torch.distributions.categorical import Categorical
from torch.distributions.distribution import _SIZE, Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """A distribution over one-hot vectors; see `Categorical`.

    Args:
        probs: The probabilities, in the last dimension.
        logits: Their logarithms, up to a constant.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.OneHotCategorical(torch.tensor([1.0, 3.0])).mode
        tensor([0., 1.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(OneHotCategorical, _instance)
        batch_shape = torch.Size(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @property
    def _param(self):
        return self._categorical._param

    @property
    def probs(self):
        return self._categorical.probs

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def mean(self):
        return self._categorical.probs

    @property
    def mode(self):
        return F.one_hot(self.probs.argmax(dim=-1), self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    @property
    def param_shape(self):
        return self._categorical.param_shape

    def sample(self, sample_shape=_SIZE):
        indices = self._categorical.sample(torch.Size(sample_shape))
        return F.one_hot(indices, self._categorical._num_events).to(self.probs)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n, *(1,) * len(self.batch_shape), n))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot vectors whose gradient is that of the probabilities (Bengio et al. 2013).

    Example:
        >>> probs = torch.tensor([0.0, 1.0])
        >>> torch.distributions.OneHotCategoricalStraightThrough(probs).rsample()
        tensor([0., 1.])
    """

    has_rsample = True

    def rsample(self, sample_shape=_SIZE):
        """Draw values that are differentiable functions of the parameters."""
        samples = self.sample(sample_shape)
        return samples + (self._categorical.probs - self._categorical.probs.detach())
