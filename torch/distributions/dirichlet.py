"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._special import digamma, lgamma, sample_dirichlet
from torch.distributions.distribution import _SIZE, Distribution
from torch.distributions.exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution.

    Args:
        concentration: The concentrations, in the last dimension.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
        tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(Dirichlet, _instance)
        batch_shape = torch.Size(batch_shape)
        new.concentration = self.concentration.expand(batch_shape + self.event_shape)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        return sample_dirichlet(self.concentration.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (
            torch.xlogy(self.concentration - 1.0, value).sum(-1)
            + lgamma(self.concentration.sum(-1))
            - lgamma(self.concentration).sum(-1)
        )

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        concentration = (self.concentration - 1).clamp(min=0.0)
        mode = concentration / concentration.sum(-1, True)
        small = (self.concentration < 1).all(dim=-1)
        if small.any():
            largest = torch.nn.functional.one_hot(mode[small].argmax(dim=-1), mode.shape[-1])
            mode = mode.masked_scatter(
                small.unsqueeze(-1).expand(mode.shape), largest.to(mode.dtype)
            )
        return mode

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        k = self.concentration.size(-1)
        total = self.concentration.sum(-1)
        return (
            lgamma(self.concentration).sum(-1)
            - lgamma(total)
            - (k - total) * digamma(total)
            - ((self.concentration - 1.0) * digamma(self.concentration)).sum(-1)
        )

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return lgamma(x).sum(-1) - lgamma(x.sum(-1))
