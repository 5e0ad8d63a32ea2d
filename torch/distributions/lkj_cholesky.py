"""The distribution of Cholesky factors of correlation matrices with density det^(eta - 1)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._special import lgamma, mvlgamma
from torch.distributions.beta import Beta
from torch.distributions.distribution import _SIZE, Distribution

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The distribution of Cholesky factors of correlation matrices with density det^(eta - 1).

    Args:
        dim: The number of rows.
        concentration: eta; 1 is the uniform distribution.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.LKJCholesky(3, 1.0).event_shape
        torch.Size([3, 3])
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args=None):
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        self.concentration = torch.as_tensor(
            concentration,
            dtype=None if isinstance(concentration, torch.Tensor) else torch.get_default_dtype(),
        )
        batch_shape = self.concentration.size()
        marginal = self.concentration + 0.5 * (self.dim - 2)
        steps = torch.arange(
            self.dim - 1, dtype=self.concentration.dtype, device=self.concentration.device
        )
        offset = torch.cat([steps.new_zeros((1,)), steps])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(batch_shape, torch.Size((dim, dim)), validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = torch.Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape=_SIZE):
        """Draw factors by the onion method (Lewandowski, Kurowicka and Joe 2009)."""
        with torch.no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            u = torch.randn(shape, dtype=y.dtype, device=y.device).tril(-1)
            u = u / torch.linalg.vector_norm(u, dim=-1, keepdim=True)
            first = torch.arange(self.dim, device=y.device).unsqueeze(-1) == 0
            u = torch.where(first, torch.zeros_like(u), u)
            w = torch.sqrt(y) * u
            eps = torch.finfo(w.dtype).tiny
            diagonal = torch.clamp(1 - torch.sum(w**2, dim=-1), min=eps).sqrt()
            return w + torch.diag_embed(diagonal)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = torch.sum(order * diagonal.log(), dim=-1)
        dm1 = self.dim - 1
        alpha = self.concentration + 0.5 * dm1
        denominator = lgamma(alpha) * dm1
        numerator = mvlgamma(alpha - 0.5, dm1)
        return unnormalized - (0.5 * dm1 * math.log(math.pi) + numerator - denominator)
