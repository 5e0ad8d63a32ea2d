"""The Wishart distribution of positive definite matrices."""

from __future__ import annotations

import math
import warnings

import torch
from torch.distributions import constraints
from torch.distributions._linear_algebra import (
    cholesky_inverse,
    half_log_det,
    precision_to_scale_tril,
    solve_lower,
)
from torch.distributions._special import digamma, mvlgamma
from torch.distributions.chi2 import Chi2
from torch.distributions.distribution import _SIZE, Distribution
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import lazy_property

__all__ = ["Wishart"]


class Wishart(ExponentialFamily):
    """The Wishart distribution of positive definite matrices.

    Args:
        df: The degrees of freedom, above the number of dimensions minus one.
        covariance_matrix: The scale matrix; exactly one of the three matrices is given.
        precision_matrix: Its inverse.
        scale_tril: Its lower Cholesky factor.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
        tensor([[3., 0.],
                [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None
    ):
        given = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        df = torch.as_tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
        event_shape = matrix.shape[-2:]
        if bool(df.le(event_shape[-1] - 1).any()):
            raise ValueError(
                f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}."
            )
        if bool(df.lt(event_shape[-1]).any()):
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        setattr(self, name, matrix.expand(batch_shape + event_shape))
        self.df = df.expand(batch_shape)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if scale_tril is not None:
            self._unbroadcasted_scale_tril = scale_tril
        elif covariance_matrix is not None:
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = precision_to_scale_tril(precision_matrix)
        steps = torch.arange(event_shape[-1], dtype=df.dtype, device=df.device)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - steps.expand((*batch_shape, -1)))

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = torch.Size(batch_shape)
        new.df = self.df.expand(batch_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in ("covariance_matrix", "precision_matrix", "scale_tril"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape + self.event_shape))
        new._dist_chi2 = self._dist_chi2.expand((*batch_shape, self.event_shape[-1]))
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @lazy_property
    def scale_tril(self):
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self):
        lower = self._unbroadcasted_scale_tril
        return (lower @ lower.mT).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self):
        inverse = cholesky_inverse(self._unbroadcasted_scale_tril)
        return inverse.expand(self._batch_shape + self._event_shape)

    @property
    def mean(self):
        return self.df.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor <= 0, math.nan, factor)
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view((*self._batch_shape, 1, 1)) * (v.pow(2) + outer)

    def rsample(self, sample_shape=_SIZE, max_try_correction=None):
        """Draw matrices, and draw some of them again, which keeps to PyTorch's stream of numbers.

        The draws that PyTorch first replaces are those that are positive definite, then those of
        the replacements that are not.

        Args:
            sample_shape: The shape of the samples, before the batch shape.
            max_try_correction: How many times matrices are drawn again, 10 by default.

        Returns:
            Matrices, sample_shape + batch_shape + event_shape.
        """
        sample = self._bartlett(torch.Size(sample_shape))
        again = self._in_some_batch(self.support.check(sample))
        if not again.any():
            return sample
        warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            replacement = self._bartlett(again[again].shape)
            sample[again] = replacement
            left = again.clone()  # the graph keeps `again`
            left[again] = self._in_some_batch(~self.support.check(replacement))
            again = left
            if not again.any():
                break
        return sample

    def _bartlett(self, sample_shape):
        """Draw matrices by Bartlett's decomposition."""
        smallest = torch.finfo(self.df.dtype).eps
        roots = self._dist_chi2.rsample(sample_shape).sqrt().clamp(min=smallest)
        rows, columns = torch.tril_indices(*self._event_shape, offset=-1, device=self.df.device)
        factor = torch.diag_embed(roots)
        factor[..., rows, columns] = torch.randn(
            (*roots.shape[:-1], len(rows)), dtype=self.df.dtype, device=self.df.device
        )
        chol = self._unbroadcasted_scale_tril @ factor
        return chol @ chol.mT

    def _in_some_batch(self, condition):
        """Return where a condition on matrices is true of one of the batch at least."""
        batch = range(-len(self._batch_shape), 0)
        return condition.amax(tuple(batch)) if self._batch_shape else condition

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        lower = self._unbroadcasted_scale_tril
        value_log_det = 2 * half_log_det(torch.linalg.cholesky(value))
        whitened = solve_lower(lower, value.expand(value.shape))
        trace = solve_lower(lower, whitened.mT).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -nu * p / 2 * math.log(2)
            - nu * half_log_det(lower)
            - mvlgamma(nu / 2, p)
            + (nu - p - 1) / 2 * value_log_det
            - trace / 2
        )

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * (half_log_det(self._unbroadcasted_scale_tril) + p * math.log(2) / 2)
            + mvlgamma(nu / 2, p)
            - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p)
            + nu * p / 2
        )


def _mvdigamma(x, p):
    steps = torch.arange(p, dtype=x.dtype, device=x.device) / 2
    return digamma(x.unsqueeze(-1) - steps).sum(-1)
