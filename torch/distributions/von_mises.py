"""The von Mises distribution of angles."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._simple import Simple
from torch.distributions.distribution import _SIZE
from torch.distributions.utils import lazy_property

__all__ = ["VonMises"]


# Abramowitz and Stegun 9.8.1 to 9.8.4: I0 and I1 below and above 3.75.
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)


_LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1,
     0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1,
     -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)  # fmt: skip


def _polynomial(x, coefficients):
    result = torch.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + coefficient
    return result


def _log_modified_bessel_fn(x, order=0):
    y = (x / 3.75) ** 2
    small = _polynomial(y, _SMALL[order])
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return torch.where(x < 3.75, small.log(), large)


class VonMises(Simple):
    """The von Mises distribution of angles.

    Args:
        loc: The mean angle.
        concentration: The concentration.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.VonMises(0.0, 1.0).mean
        tensor(0.)
    """

    params = ("loc", "concentration")
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None):
        self._set(loc, concentration, validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (
            self.concentration * torch.cos(value - self.loc)
            - math.log(2 * math.pi)
            - _log_modified_bessel_fn(self.concentration, order=0)
        )

    def sample(self, sample_shape=_SIZE):
        """Draw angles by rejection (Best and Fisher 1979)."""
        with torch.no_grad():
            shape = self._extended_shape(sample_shape)
            k = self.concentration.double().expand(shape)
            tau = 1 + (1 + 4 * k**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            r = torch.where(k < 1e-5, 1 / k + k, (1 + rho**2) / (2 * rho))
            result = torch.zeros_like(k)
            waiting = torch.ones_like(k, dtype=torch.bool)
            while bool(waiting.any()):
                z = torch.cos(math.pi * torch.rand_like(k))
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                u2 = torch.rand_like(k)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                angle = (torch.rand_like(k) - 0.5).sign() * torch.acos(f.clamp(-1, 1))
                result = torch.where(accept, angle, result)  # as PyTorch draws them
                waiting = waiting & ~accept
            found = (result + math.pi + self.loc.double()) % (2 * math.pi) - math.pi
            return found.to(self.loc.dtype)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        ratio = _log_modified_bessel_fn(self.concentration, order=1) - _log_modified_bessel_fn(
            self.concentration, order=0
        )
        return 1 - ratio.exp()
