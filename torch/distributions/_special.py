"""The gamma function and draws that depend on it, with operators that every build has.

An operator of the same name is used instead where the build has it.
"""

from __future__ import annotations

import math
from typing import Any

import torch

Tensor = torch.Tensor

# Bernoulli numbers B(2j), for j = 1 ...
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_SHIFT = 10  # arguments are moved above this before an asymptotic series is used


def _shifted(x: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Return x + k > _SHIFT, and the terms x ... x + k - 1 with 1 where there is no such term."""
    terms = []
    for _ in range(_SHIFT):
        small = x < _SHIFT
        terms.append(torch.where(small, x, torch.full_like(x, math.inf)))
        x = torch.where(small, x + 1, x)
    return x, terms


def _positive_lgamma(x: Tensor) -> Tensor:
    """Stirling's series."""
    y, terms = _shifted(x)
    result = (y - 0.5) * y.log() - y + 0.5 * math.log(2 * math.pi)
    power = 1 / y
    for j, number in enumerate(_BERNOULLI, 1):
        result = result + number / (2 * j * (2 * j - 1)) * power
        power = power / (y * y)
    # One product of at most ten terms, so that one logarithm is lost instead of ten.
    product = torch.ones_like(x)
    for term in terms:
        product = product * torch.where(term.isinf(), torch.ones_like(term), term)
    result = result - product.log()
    result = torch.where((x == 1) | (x == 2), torch.zeros_like(x), result)
    return torch.where(x.isinf(), torch.full_like(x, math.inf), result)


def _psi(n: int, x: Tensor) -> Tensor:
    """Return the n-th derivative of digamma for positive x; n = 0 is digamma itself."""
    y, terms = _shifted(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    if n == 0:
        result = y.log() - 0.5 / y
    else:
        result = -sign * -(math.factorial(n - 1) * y**-n + 0.5 * math.factorial(n) * y ** -(n + 1))
    for j, number in enumerate(_BERNOULLI, 1):
        if n == 0:
            result = result - number / (2 * j) * y ** (-2 * j)
        else:
            factor = math.factorial(2 * j + n - 1) / math.factorial(2 * j)
            result = result + sign * number * factor * y ** (-2 * j - n)
    for term in terms:
        result = result + sign * math.factorial(n) * term ** -(n + 1.0)
    return result


def _reflected(x: Tensor, positive: Any, below: Any) -> Tensor:
    """Evaluate `positive` at x or 1 - x, and combine the latter by `below` for x < 0.5."""
    low = x < 0.5
    value = positive(torch.where(low, 1 - x, x))
    return torch.where(low, below(x, value), value) if bool(low.any()) else value


class _Lgamma(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)

        def below(x: Tensor, value: Tensor) -> Tensor:
            sine = (math.pi * (x - x.round())).sin().abs()
            return math.log(math.pi) - sine.log() - value

        return _reflected(x.double(), _positive_lgamma, below).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return grad * digamma(x)


class _Polygamma(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, n: int, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        ctx.n = n
        wide = x.double()
        if n == 0:
            result = _reflected(wide, lambda y: _psi(0, y), _digamma_below)
            poles = torch.where(wide == 0, torch.full_like(wide, -math.inf), wide * math.nan)
            result = torch.where((wide <= 0) & (wide == wide.round()), poles, result)
        else:
            result = _psi(n, _raised(wide))
            result = result + _recurrence(n, wide)
        return result.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return None, grad * polygamma(ctx.n + 1, x)


def _digamma_below(x: Tensor, value: Tensor) -> Tensor:
    angle = math.pi * (x - x.round())
    return value - math.pi * angle.cos() / angle.sin()


def _raised(x: Tensor) -> Tensor:
    """Move negative numbers above zero by an integer."""
    return torch.where(x > 0, x, x - x.floor() + 1)


def _recurrence(n: int, x: Tensor) -> Tensor:
    """Return the sum of the terms that `_raised` has passed over."""
    sign = -1.0 if n % 2 == 0 else 1.0
    result = torch.zeros_like(x)
    steps = int((_raised(x) - x).max().item()) if x.numel() else 0
    for k in range(steps):
        y = x + k
        passed = y < _raised(x)
        result = result + torch.where(
            passed, sign * math.factorial(n) * y ** -(n + 1.0), torch.zeros_like(y)
        )
    return result


def lgamma(x: Tensor) -> Tensor:
    """Return log |gamma(x)|."""
    return torch.lgamma(x) if hasattr(torch, "lgamma") else _Lgamma.apply(x)


def digamma(x: Tensor) -> Tensor:
    """Return the derivative of lgamma."""
    return torch.digamma(x) if hasattr(torch, "digamma") else _Polygamma.apply(0, x)


def polygamma(n: int, x: Tensor) -> Tensor:
    """Return the n-th derivative of digamma."""
    return torch.polygamma(n, x) if hasattr(torch, "polygamma") else _Polygamma.apply(n, x)


def mvlgamma(x: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function."""
    steps = torch.arange(p, dtype=x.dtype, device=x.device) / 2
    return p * (p - 1) / 4 * math.log(math.pi) + lgamma(x.unsqueeze(-1) - steps).sum(-1)


def gammainc(alpha: Tensor, x: Tensor) -> Tensor:
    """Return the regularized lower incomplete gamma function, without gradients.

    By its power series up to alpha + 1, and by Lentz's continued fraction beyond (Numerical
    Recipes 6.2).
    """
    dtype = torch.result_type(alpha, x)
    a, x = torch.broadcast_tensors(alpha.detach().double(), x.detach().double())
    scale = (a * x.log() - x - lgamma(a)).exp()
    low = x < a + 1
    term = 1 / a
    total = term
    for n in range(1, 400):
        term = term * torch.where(low, x, torch.zeros_like(x)) / (a + n)
        total = total + term
    b = x + 1 - a
    c = torch.full_like(x, 1e300)
    d = 1 / torch.where(low, torch.ones_like(b), b)
    fraction = d
    for n in range(1, 400):
        an = -n * (n - a)
        b = b + 2
        d = 1 / (an * d + b)
        c = b + an / c
        fraction = torch.where(low, fraction, fraction * d * c)
    result = torch.where(low, scale * total, 1 - scale * fraction)
    return torch.where(x == 0, torch.zeros_like(x), result).to(dtype)


# ---- draws --------------------------------------------------------------------------------------


def _draw_gamma(alpha: Tensor) -> Tensor:
    """Marsaglia and Tsang, "A simple method for generating gamma variables", 2000."""
    alpha = alpha.double()
    boosted = torch.where(alpha < 1, alpha + 1, alpha)
    d = boosted - 1 / 3
    c = 1 / (9 * d).sqrt()
    result = torch.zeros_like(alpha)
    waiting = torch.ones_like(alpha, dtype=torch.bool)
    while bool(waiting.any()):
        x = torch.randn_like(alpha)
        v = (1 + c * x) ** 3
        u = 1 - torch.rand_like(alpha)
        accept = (v > 0) & (u.log() < 0.5 * x * x + d - d * v + d * v.clamp(min=1e-300).log())
        accept = accept | alpha.isnan()
        result = torch.where(waiting & accept, d * v, result)
        waiting = waiting & ~accept
    power = (1 - torch.rand_like(alpha)) ** (1 / alpha)
    return torch.where(alpha < 1, result * power, result)


def _gamma_gradient(alpha: Tensor, x: Tensor) -> Tensor:
    """Return how a draw changes with alpha while the distribution function keeps its value.

    That is -(dF / dalpha) / f(x). With t = x exp(u), f(t) dt / f(x) is
    x exp(alpha u - x (exp(u) - 1)) du, and d log f / dalpha = log t - digamma(alpha) has one sign
    on the side of its zero that x is on; the integral over that side is taken by exp-sinh
    quadrature.
    """
    alpha, x = alpha.double(), x.double()
    offset = x.log() - digamma(alpha)
    side = torch.where(offset > 0, 1.0, -1.0).to(x)
    unit = torch.maximum((x - alpha).abs(), x.sqrt())
    unit = 1 / torch.maximum(unit, alpha.clamp(max=1.0))
    total = torch.zeros_like(x)
    step = 1 / 12
    for i in range(-48, 49):
        t = i * step
        distance = unit * math.exp(math.pi / 2 * math.sinh(t))
        u = side * distance
        exponent = alpha * u - x * torch.expm1(u)
        term = distance * (math.pi / 2 * math.cosh(t)) * exponent.exp() * (offset + u)
        total = total + torch.where(exponent > -700, term, torch.zeros_like(term))
    return side * x * total * step


class _StandardGamma(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, alpha: Tensor) -> Tensor:
        result = _draw_gamma(alpha).to(alpha.dtype)
        ctx.save_for_backward(alpha, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        alpha, result = ctx.saved_tensors
        tiny = torch.finfo(result.dtype).tiny
        return grad * _gamma_gradient(alpha, result.clamp(min=tiny)).to(grad.dtype)


def standard_gamma(alpha: Tensor) -> Tensor:
    """Draw values of gamma distributions with rate 1, with gradients."""
    if hasattr(torch, "_standard_gamma"):
        return torch._standard_gamma(alpha)
    return _StandardGamma.apply(alpha)


def poisson(rate: Tensor) -> Tensor:
    """Draw values of Poisson distributions.

    A mean above 20 is divided: the m-th arrival of the process is a gamma variable, and what comes
    before or after it is binomial or Poisson again (Ahrens and Dieter 1974).
    """
    if hasattr(torch, "poisson"):
        return torch.poisson(rate)
    mean = rate.double()
    result = torch.zeros_like(mean)
    while bool((mean > 20).any()):
        large = mean > 20
        m = torch.where(large, (mean * 7 / 8).floor(), torch.ones_like(mean))
        arrival = _draw_gamma(m)
        before = large & (arrival <= mean)
        beyond = large & ~before
        share = torch.where(beyond, mean / arrival, torch.zeros_like(mean))
        result = result + torch.where(before, m, torch.zeros_like(m))
        if bool(beyond.any()):
            count = torch.where(beyond, m - 1, torch.zeros_like(m))
            result = result + binomial(count, share)
        mean = torch.where(
            before, mean - arrival, torch.where(beyond, torch.zeros_like(mean), mean)
        )
    limit = (-mean).exp()
    product = 1 - torch.rand_like(mean)
    while bool((product > limit).any()):
        result = result + (product > limit).to(result.dtype)
        product = torch.where(product > limit, product * (1 - torch.rand_like(mean)), product)
    return result.to(rate.dtype)


def binomial(count: Tensor, prob: Tensor) -> Tensor:
    """Draw values of binomial distributions.

    A large number of trials is divided at the median of the uniform variables that stand for the
    trials, which has a beta distribution; few trials are counted by their geometric gaps.
    """
    if hasattr(torch, "binomial"):
        return torch.binomial(count, prob)
    dtype = prob.dtype
    n, p = torch.broadcast_tensors(count.double(), prob.double())
    result = torch.zeros_like(n)
    while bool((n > 30).any()):
        large = n > 30
        i = torch.where(large, (1 + n / 2).floor(), torch.ones_like(n))
        x = _draw_gamma(i)
        cut = x / (x + _draw_gamma(torch.where(large, n + 1 - i, torch.ones_like(n))))
        low = large & (cut <= p)
        result = result + torch.where(low, i, torch.zeros_like(i))
        kept = torch.where(low, (p - cut) / (1 - cut), p / cut)
        rest = torch.where(low, n - i, i - 1)
        p = torch.where(large, kept.clamp(0, 1), p)
        n = torch.where(large, rest, n)
    for k in range(int(n.max().item()) if n.numel() else 0):
        hit = (torch.rand_like(n) < p) & (n > k)
        result = result + hit.to(result.dtype)
    return result.to(dtype)
