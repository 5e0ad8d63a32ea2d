"""The base class of distributions whose density is an exponential of parameters times statistics."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution whose density is an exponential of parameters times statistics.

    Example:
        >>> issubclass(torch.distributions.Normal, torch.distributions.ExponentialFamily)
        True
    """

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> torch.Tensor:
        """Return the entropy, from derivatives of the normalizer."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*params)
        gradients = torch.autograd.grad(normalizer.sum(), params, create_graph=True)
        result = result + normalizer
        for param, gradient in zip(params, gradients, strict=True):
            term = param * gradient
            result = result - term.reshape((*self._batch_shape, -1)).sum(-1)
        return result
