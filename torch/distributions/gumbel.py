"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions.transformed_distribution import TransformedDistribution, _own
from torch.distributions.transforms import AffineTransform, ExpTransform
from torch.distributions.uniform import Uniform
from torch.distributions.utils import broadcast_all, euler_constant

__all__ = ["Gumbel"]


@_own
class Gumbel(TransformedDistribution):
    """The Gumbel distribution.

    Args:
        loc: The location.
        scale: The scale.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Gumbel(0.0, 1.0).mean
        tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _expanded_params = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(*self._rebuild(self, self.loc.shape), validate_args=validate_args)

    def _rebuild(self, old, shape):
        info = torch.finfo(self.loc.dtype)
        low = torch.full_like(self.loc, info.tiny)
        base = Uniform(low, torch.full_like(self.loc, 1 - info.eps), validate_args=False)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=self.loc, scale=-self.scale),
        ]
        return base, transforms

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
