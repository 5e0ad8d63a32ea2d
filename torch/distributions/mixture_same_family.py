"""A mixture of distributions of one family."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions.categorical import Categorical
from torch.distributions.distribution import _SIZE, Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one family.

    Args:
        mixture_distribution: A Categorical distribution over the components.
        component_distribution: The components, in the last batch dimension.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> from torch.distributions import Categorical, MixtureSameFamily, Normal
        >>> weights = Categorical(torch.tensor([0.5, 0.5]))
        >>> MixtureSameFamily(weights, Normal(torch.tensor([0.0, 2.0]), 1.0)).mean
        tensor(1.)
    """

    arg_constraints: dict[str, Any] = {}
    has_rsample = False

    def __init__(self, mixture_distribution: Any, component_distribution: Any, validate_args=None):
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution need to be an instance of "
                "torch.distributions.Distribution"
            )
        mixture_shape = mixture_distribution.batch_shape
        component_shape = component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(mixture_shape), reversed(component_shape), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_shape}) is not compatible with "
                    f"`component_distribution.batch_shape`({component_shape})"
                )
        count = mixture_distribution.logits.shape[-1]
        if count != component_distribution.batch_shape[-1]:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                "`component_distribution.batch_shape[-1]` "
                f"({component_distribution.batch_shape[-1]})"
            )
        self._num_component = count
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(component_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = torch.Size(batch_shape)
        new._component_distribution = self._component_distribution.expand(
            (*batch_shape, self._num_component)
        )
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self):
        return constraints.mixture_same_family_support(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        return self._mixture_distribution

    @property
    def component_distribution(self):
        return self._component_distribution

    def _weights(self):
        return self._pad_mixture_dimensions(self.mixture_distribution.probs)

    @property
    def mean(self):
        dim = -1 - self._event_ndims
        return torch.sum(self._weights() * self.component_distribution.mean, dim=dim)

    @property
    def variance(self):
        probs = self._weights()
        dim = -1 - self._event_ndims
        within = torch.sum(probs * self.component_distribution.variance, dim=dim)
        distance = self.component_distribution.mean - self._pad(self.mean)
        return within + torch.sum(probs * distance.pow(2.0), dim=dim)

    def cdf(self, x):
        cdf_x = self.component_distribution.cdf(self._pad(x))
        return torch.sum(cdf_x * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        log_prob_x = self.component_distribution.log_prob(self._pad(x))
        log_mix = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(log_prob_x + log_mix, dim=-1)

    def sample(self, sample_shape=_SIZE):
        with torch.no_grad():
            sample_shape = torch.Size(sample_shape)
            gather_dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            values = self.component_distribution.sample(sample_shape)
            shape = chosen.shape + torch.Size([1] * (len(self.event_shape) + 1))
            index = chosen.reshape(shape)
            index = index.expand((*values.shape[:gather_dim], 1, *self.event_shape))
            return torch.gather(values, gather_dim, index).squeeze(gather_dim)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x):
        return x.reshape(x.shape + torch.Size((1,) * self._event_ndims))

    def __repr__(self):
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )
