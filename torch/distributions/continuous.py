"""Distributions of real numbers with a location and a scale, and uniform ones."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._special import digamma, lgamma, standard_gamma
from torch.distributions.distribution import ExponentialFamily, Simple
from torch.distributions.utils import _standard_normal

__all__ = ["Cauchy", "Exponential", "Laplace", "Normal", "StudentT", "Uniform"]

_SIZE = torch.Size()


class Normal(Simple, ExponentialFamily):
    """The normal distribution.

    Args:
        loc: The mean.
        scale: The standard deviation.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        tensor(-0.9189)
    """

    params = ("loc", "scale")
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        self._set(loc, scale, validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def sample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            noise = _standard_normal(shape, self.loc.dtype, self.loc.device)
            return noise * self.scale + self.loc

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        return self.loc + _standard_normal(shape, self.loc.dtype, self.loc.device) * self.scale

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        variance = self.scale**2
        return (
            -((value - self.loc) ** 2) / (2 * variance)
            - self.scale.log()
            - math.log(math.sqrt(2 * math.pi))
        )

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    @property
    def _natural_params(self):
        return (self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal())

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * torch.log(-math.pi / y)


class Laplace(Simple):
    """The Laplace distribution.

    Args:
        loc: The mean.
        scale: The scale.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Laplace(0.0, 1.0).variance
        tensor(2.)
    """

    params = ("loc", "scale")
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        self._set(loc, scale, validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        return (2**0.5) * self.scale

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        eps = torch.finfo(self.loc.dtype).eps
        u = self.loc.new_empty(shape).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        shifted = value - self.loc
        return 0.5 - 0.5 * shifted.sign() * torch.expm1(-shifted.abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + torch.log(2 * self.scale)


class Cauchy(Simple):
    """The Cauchy distribution.

    Args:
        loc: The median.
        scale: Half of the width at half of the maximum.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(0.0))
        tensor(0.5000)
    """

    params = ("loc", "scale")
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        self._set(loc, scale, validate_args=validate_args)

    @property
    def mean(self):
        return torch.full(self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return torch.full(self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        u = torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device)
        angle = math.pi * (u - 0.5)
        return self.loc + self.scale * (angle.sin() / angle.cos())

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (
            -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()
        )

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return _atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        angle = math.pi * (value - 0.5)
        return angle.sin() / angle.cos() * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()


class _Atan(torch.autograd.Function):
    """The inverse tangent as the argument of a complex number, until there is an operator."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        wide = x.detach().double()
        # Newton's iteration for tan(y) = x, from a rational start that is good to 0.005.
        small = wide.abs() <= 1
        t = torch.where(small, wide.abs(), 1 / wide.abs().clamp(min=1e-300))
        y = t * (math.pi / 4 + 0.273 * (1 - t))
        for _ in range(3):
            s, c = y.sin(), y.cos()
            y = y - (s - t * c) * (c + t * s) / (1 + t * t) * ((1 + t * t) / (c + t * s) ** 2)
        y = torch.where(small, y, math.pi / 2 - y) * wide.sign()
        return y.to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (1 + x * x)


def _atan(x):
    return torch.atan(x) if hasattr(torch, "atan") else _Atan.apply(x)


class StudentT(Simple):
    """Student's t-distribution.

    Args:
        df: The degrees of freedom.
        loc: The location.
        scale: The scale.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.StudentT(3.0).variance
        tensor(3.)
    """

    params = ("df", "loc", "scale")
    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args=None):
        self._set(df, loc, scale, validate_args=validate_args)
        if self.df.dim() == 0 and self._batch_shape != self.df.shape:
            self._batch_shape = self.df.shape

    @property
    def mean(self):
        return torch.where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        m = torch.where(self.df > 2, finite, math.inf)
        return torch.where(self.df <= 1, math.nan, m)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, self.df.dtype, self.df.device)
        z = 2 * standard_gamma((self.df / 2).expand(shape))
        return self.loc + self.scale * x * torch.rsqrt(z / self.df)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        z = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + lgamma(0.5 * self.df)
            - lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - z

    def entropy(self):
        lbeta = lgamma(0.5 * self.df) + math.lgamma(0.5) - lgamma(0.5 * (self.df + 1))
        digammas = digamma(0.5 * (self.df + 1)) - digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * digammas + 0.5 * self.df.log() + lbeta


class Uniform(Simple):
    """The uniform distribution on [low, high).

    Args:
        low: The lower end.
        high: The upper end.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Uniform(0.0, 4.0).mean
        tensor(2.)
    """

    params = ("low", "high")
    has_rsample = True

    @property
    def arg_constraints(self):
        return {
            "low": constraints.dependent(is_discrete=False, event_dim=0),
            "high": constraints.dependent(is_discrete=False, event_dim=0),
        }

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None):
        self._set(low, high, validate_args=validate_args)
        if self._validate_args and not torch.lt(self.low, self.high).all():
            raise ValueError("Uniform is not defined when low>= high")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def mode(self):
        return math.nan * self.high

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    @property
    def stddev(self):
        return (self.high - self.low) / 12**0.5

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        u = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return torch.log(self.high - self.low)


class Exponential(Simple, ExponentialFamily):
    """The exponential distribution.

    Args:
        rate: One over the mean.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Exponential(2.0).mean
        tensor(0.5000)
    """

    params = ("rate",)
    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Any, validate_args: bool | None = None):
        self._set(rate, validate_args=validate_args)

    @property
    def mean(self):
        return self.rate.reciprocal()

    @property
    def mode(self):
        return torch.zeros_like(self.rate)

    @property
    def stddev(self):
        return self.rate.reciprocal()

    @property
    def variance(self):
        return self.rate.pow(-2)

    def rsample(self, sample_shape=_SIZE):
        shape = self._extended_shape(sample_shape)
        return self.rate.new_empty(shape).exponential_() / self.rate

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)
