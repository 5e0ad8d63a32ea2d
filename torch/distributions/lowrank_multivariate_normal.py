"""A multivariate normal distribution with covariance cov_factor cov_factorᵀ + cov_diag."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._linear_algebra import (
    batch_mahalanobis,
    batch_mv,
    half_log_det,
    solve_lower,
)
from torch.distributions.distribution import _SIZE, Distribution
from torch.distributions.utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """A multivariate normal distribution with covariance cov_factor cov_factorᵀ + cov_diag.

    Args:
        loc: The means, in the last dimension.
        cov_factor: A matrix with few columns.
        cov_diag: The diagonal.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> from torch.distributions import LowRankMultivariateNormal
        >>> LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).variance
        tensor([2., 2.])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(
                f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m"
            )
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        batch_shape = torch.broadcast_shapes(
            loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1]
        )
        self.loc = loc.expand(batch_shape + event_shape)
        self.cov_diag = cov_diag.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = self._capacitance(cov_factor, cov_diag)

    @staticmethod
    def _capacitance(w, d):
        """Return the Cholesky factor of 1 + Wᵀ D⁻¹ W."""
        k = w.mT @ (w / d.unsqueeze(-1))
        return torch.linalg.cholesky(k + torch.eye(k.shape[-1], dtype=k.dtype, device=k.device))

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        batch_shape = torch.Size(batch_shape)
        new.loc = self.loc.expand(batch_shape + self.event_shape)
        new.cov_diag = self.cov_diag.expand(batch_shape + self.event_shape)
        new.cov_factor = self.cov_factor.expand(batch_shape + self.cov_factor.shape[-2:])
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        return torch.linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def covariance_matrix(self):
        w = self._unbroadcasted_cov_factor
        found = w @ w.mT + torch.diag_embed(self._unbroadcasted_cov_diag)
        return found.expand(self._batch_shape + self._event_shape * 2)

    @lazy_property
    def precision_matrix(self):
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        a = solve_lower(self._capacitance_tril, w.mT / d.unsqueeze(-2))
        found = torch.diag_embed(d.reciprocal()) - a.mT @ a
        return found.expand(self._batch_shape + self._event_shape * 2)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        w_shape = shape[:-1] + self.cov_factor.shape[-1:]
        eps_w = _standard_normal(w_shape, self.loc.dtype, self.loc.device)
        eps_d = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return (
            self.loc
            + batch_mv(self._unbroadcasted_cov_factor, eps_w)
            + self._unbroadcasted_cov_diag.sqrt() * eps_d
        )

    def _log_det(self):
        return 2 * half_log_det(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        diff = value - self.loc
        w_d = batch_mv(w.mT / d.unsqueeze(-2), diff)
        mahalanobis = (diff.pow(2) / d).sum(-1) - batch_mahalanobis(self._capacitance_tril, w_d)
        n = self._event_shape[0]
        return -0.5 * (n * math.log(2 * math.pi) + self._log_det() + mahalanobis)

    def entropy(self):
        n = self._event_shape[0]
        found = 0.5 * (n * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape)
