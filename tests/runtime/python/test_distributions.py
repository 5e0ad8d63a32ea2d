"""torch.distributions: densities, moments, draws, divergences and transforms."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import distributions as D
from torch.distributions import _special, constraints

PEER = os.environ.get("TORCH_PEER")
TABLE = Path(__file__).parents[1] / "data" / "distribution_table.py"
sys.path.insert(0, str(TABLE.parent))
import distribution_table  # noqa: E402

sys.path.pop(0)
INSTANCES = {
    f"{name} {i}": make
    for name, made in distribution_table.TABLE.items()
    for i, make in enumerate(made)
}


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, str) or isinstance(theirs, str):
        return bool(ours == theirs)
    return ours[0] == theirs[0] and all(
        a == b or (a != a and b != b) or math.isclose(a, b, rel_tol=2e-4, abs_tol=2e-5)
        for a, b in zip(ours[1], theirs[1], strict=True)
    )


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_numbers_are_those_of_pytorch() -> None:
    assert PEER
    ours, theirs = (
        json.loads(subprocess.run([python, TABLE], capture_output=True, check=True).stdout)
        for python in (sys.executable, PEER)
    )
    assert ours.keys() == theirs.keys()
    assert len(ours) > 1000
    wrong = {k: (ours[k], theirs[k]) for k in theirs if not _same(ours[k], theirs[k])}
    assert not wrong


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_uniform_numbers_do_not_depend_on_how_many_are_drawn_at_once(dtype: torch.dtype) -> None:
    torch.manual_seed(3)
    together = torch.rand(3000, dtype=dtype)
    state = torch.get_rng_state()
    torch.manual_seed(3)
    lengths = [1, 3, 620, 5, 624, 747, 2, 511, 487]  # the state has 624 words
    parts = torch.cat([torch.rand(length, dtype=dtype) for length in lengths])
    assert torch.equal(parts, together)
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(3)
    one_by_one = torch.empty(6000, dtype=dtype)[::2].uniform_()  # draws each number by itself
    assert torch.equal(one_by_one, together)


@pytest.mark.parametrize("name", INSTANCES)
def test_draws_have_the_moments(name: str) -> None:
    torch.manual_seed(0)
    p = INSTANCES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        draws = p.sample((4000,))
        assert draws.shape == (4000, *p.batch_shape, *p.event_shape)
        finite = p.log_prob(draws).isfinite()
        assert finite.all() or name.startswith("Kumaraswamy")  # a draw may round to 1
    try:
        mean, variance = p.mean.double(), p.variance.double()
    except NotImplementedError:
        return
    if name.startswith(("Cauchy", "HalfCauchy", "Categorical", "InverseGamma 0", "VonMises")):
        return  # no moments, or heavy tails
    draws = draws.double()
    error = (variance / 4000).sqrt()
    assert ((draws.mean(0) - mean).abs() <= 5 * error + 1e-6).all()
    if not name.startswith(("Pareto", "InverseGamma", "FisherSnedecor", "StudentT", "General")):
        assert torch.allclose(draws.var(0), variance, rtol=0.25, atol=1e-3)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 3.0, 40.0, 1e4])
def test_draws_of_gamma_have_gradients(alpha: float) -> None:
    # d E[x] / d alpha = 1 and d E[log x] / d alpha = trigamma(alpha)
    torch.manual_seed(0)
    concentration = torch.full((20000,), alpha, dtype=torch.float64, requires_grad=True)
    draws = D.Gamma(concentration, torch.ones((), dtype=torch.float64)).rsample()
    (gradient,) = torch.autograd.grad(draws.sum(), concentration)
    error = gradient.std() / gradient.numel() ** 0.5
    assert abs(gradient.mean() - 1) <= 5 * error + 1e-6


def test_gamma_function() -> None:
    x = torch.tensor([-2.5, -0.3, 0.1, 0.5, 1.0, 1.5, 2.0, 7.3, 100.0, 1e5], dtype=torch.float64)
    expected = torch.tensor([math.lgamma(v) for v in x.tolist()], dtype=torch.float64)
    assert torch.allclose(_special.lgamma(x), expected, rtol=1e-13, atol=1e-13)
    x = torch.tensor([-1.5, 1.0], dtype=torch.float64, requires_grad=True)
    known = {
        0: [0.70315664, -0.57721566],
        1: [9.37924665, 1.64493407],
        2: [-0.23620401, -2.40411381],
    }
    for n, values in known.items():
        found = _special.digamma(x) if n == 0 else _special.polygamma(n, x)
        assert torch.allclose(found, torch.tensor(values, dtype=torch.float64), atol=1e-7)
    assert torch.autograd.gradcheck(_special.lgamma, x)
    assert torch.autograd.gradcheck(_special.digamma, x)


MATRIX = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
DIFFERENTIABLE = [
    (D.Normal, 0.5, 1.5),
    (D.Laplace, 0.5, 1.5),
    (D.Cauchy, 0.5, 1.5),
    (D.Uniform, 0.5, 1.5),
    (D.Gamma, 0.5, 1.5),
    (D.Beta, 0.5, 1.5),
    (D.StudentT, 3.0, 1.5),
    (D.FisherSnedecor, 3.0, 5.0),
    (D.LogNormal, 0.5, 1.5),
    (D.InverseGamma, 3.0, 1.5),
    (D.Gumbel, 0.5, 1.5),
    (D.Weibull, 0.5, 1.5),
    (D.Pareto, 0.5, 1.5),
    (D.Kumaraswamy, 2.0, 1.5),
    (D.Dirichlet, torch.tensor([0.5, 1.5])),
    (D.RelaxedBernoulli, 0.7, 0.3),
    (D.ContinuousBernoulli, 0.3),
    (D.MultivariateNormal, torch.zeros(2), MATRIX),
    (D.LowRankMultivariateNormal, torch.zeros(2), torch.ones(2, 1), torch.ones(2)),
    (D.Wishart, torch.tensor(4.0), MATRIX),
]


@pytest.mark.filterwarnings("ignore:Singular sample")
@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=lambda case: case[0].__name__)
def test_draws_carry_gradients(case: tuple[Any, ...]) -> None:
    torch.manual_seed(0)
    parameters = [torch.as_tensor(value).clone().requires_grad_() for value in case[1:]]
    draws = case[0](*parameters).rsample((3,))
    gradients = torch.autograd.grad(draws.sum(), parameters)
    assert all(gradient.isfinite().all() for gradient in gradients)
    density = case[0](*parameters).log_prob(draws.detach())
    assert all(g.isfinite().all() for g in torch.autograd.grad(density.sum(), parameters))


def test_bad_parameters_and_values_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected parameter scale"):
        D.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match="within the support"):
        D.Exponential(1.0).log_prob(torch.tensor(-1.0))
    with pytest.raises(ValueError, match="right-most size"):
        D.Dirichlet(torch.ones(3)).log_prob(torch.ones(2) / 2)
    with pytest.raises(ValueError, match="Either `probs` or `logits`"):
        D.Bernoulli()
    with pytest.raises(ValueError, match="LessThan"):
        D.Uniform(1.0, 0.0)
    assert D.Normal(0.0, -1.0, validate_args=False).scale.item() == -1


def test_unknown_divergences() -> None:
    with pytest.raises(NotImplementedError, match=r"No KL\(p \|\| q\)"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0))


def test_divergences_of_other_objects_are_refused() -> None:
    with pytest.raises(TypeError, match="type_p to be a Distribution subclass but got 3"):
        D.register_kl(3, D.Normal)
    with pytest.raises(TypeError, match="type_q to be a Distribution subclass but got 3"):
        D.register_kl(D.Normal, 3)


def test_subclasses_expand_and_pickle() -> None:
    class Mine(D.Normal):
        pass

    assert type(Mine(0.0, 1.0).expand((3,))) is Mine
    p = pickle.loads(pickle.dumps(D.Gamma(torch.tensor([1.0, 2.0]), 1.0)))
    assert p.mean.tolist() == [1.0, 2.0]
    assert repr(D.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"


def test_modules_have_the_names_of_pytorch() -> None:
    from torch.distributions.multivariate_normal import MultivariateNormal
    from torch.distributions.normal import Normal

    assert MultivariateNormal is D.MultivariateNormal
    assert Normal is D.Normal
    for name in D.transforms.__all__:
        assert getattr(D.transforms, name).__module__ == "torch.distributions.transforms"
    assert type(D.transforms.ExpTransform().inv).__module__ == "torch.distributions.transforms"
    assert D.kl_divergence.__module__ == D.register_kl.__module__ == "torch.distributions.kl"


def test_transforms_cache_and_invert() -> None:
    transform = D.transforms.TanhTransform(cache_size=1)
    x = torch.tensor([0.5, 30.0])
    y = transform(x)
    assert transform.inv(y) is x
    composed = D.transforms.ComposeTransform([transform, D.transforms.AffineTransform(1.0, 2.0)])
    assert composed.inv.inv is composed
    assert composed.sign == 1


def test_a_policy_gradient_step() -> None:
    logits = torch.zeros(2, 3, requires_grad=True)
    policy = D.Categorical(logits=logits)
    action = policy.sample()
    (-policy.log_prob(action) * torch.tensor([1.0, -1.0])).sum().backward()
    assert logits.grad is not None
    assert constraints.is_dependent(D.Categorical.support)


def test_constraints_depend_on_the_parameters_as_in_pytorch() -> None:
    uniform = D.Uniform(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 3.0]))
    assert repr(uniform.arg_constraints["low"]) == "LessThan(upper_bound=tensor([1., 3.]))"
    mixture = D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(2), 1.0))
    assert repr(mixture.support) == "MixtureSameFamilyConstraint(Real())"
    pareto = D.GeneralizedPareto(torch.zeros(2), torch.ones(2), torch.tensor([0.1, -0.5]))
    assert pareto.support.check(torch.tensor([3.0, 3.0])).tolist() == [True, False]


def test_angles_are_those_that_pytorch_draws() -> None:
    torch.manual_seed(0)
    drawn = D.VonMises(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0])).sample((2,))
    expected = torch.tensor([[-0.589, 1.96], [-0.86, 1.57]])
    torch.testing.assert_close(drawn, expected, atol=5e-3, rtol=0)


# The derivatives of the quantiles by the first parameter, computed with mpmath.
GAMMA_SLOPES = {
    (0.01, 1e-10): 2.2464965474394065e-07,
    (0.01, 0.001): 0.6354138007185822,
    (0.01, 10.0): 94.34304199046971,
    (0.1, 0.1): 2.146922060025905,
    (10.0, 0.7): 0.2028523934432869,
}
BETA_SLOPES = {
    (0.01, 0.1, 1e-10): 3.196538883611594e-07,
    (0.01, 30.0, 0.001): 0.3077485847787016,
    (0.01, 30.0, 0.3): 2.2416969299807534,
    (0.01, 1.0, 0.5): 34.657359027997266,
}


def doubles(*values: float) -> list[torch.Tensor]:
    return [torch.tensor(value, dtype=torch.double) for value in values]


@pytest.mark.parametrize("arguments", GAMMA_SLOPES)
def test_slopes_of_gamma_draws(arguments: tuple[float, float]) -> None:
    slope = torch._standard_gamma_grad(*doubles(*arguments)).item()
    assert slope == pytest.approx(GAMMA_SLOPES[arguments], rel=1e-10)


@pytest.mark.parametrize("arguments", BETA_SLOPES)
def test_slopes_of_beta_draws(arguments: tuple[float, float, float]) -> None:
    alpha, beta, x = arguments
    slope = torch._dirichlet_grad(*doubles(x, alpha, alpha + beta)).item() * (1 - x)
    assert slope == pytest.approx(BETA_SLOPES[arguments], rel=1e-10)


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_shares_are_numbers_where_all_draws_underflow(dtype: torch.dtype) -> None:
    tiny = torch.full((50, 3), 1e-9, dtype=dtype)
    assert torch.equal(D.Dirichlet(tiny).sample().sum(-1), torch.ones(50, dtype=dtype))
    assert not D.Beta(tiny, tiny).sample().isnan().any()


def test_gradients_at_the_ends_of_logits() -> None:
    logits = torch.zeros(3, requires_grad=True)
    D.Binomial(100, logits=logits).log_prob(torch.tensor([0.0, 50.0, 100.0])).sum().backward()
    assert torch.equal(logits.grad, torch.tensor([-50.0, 0.0, 50.0]))
    large = torch.tensor([1e38], requires_grad=True)
    density = D.ContinuousBernoulli(logits=large).log_prob(torch.ones(1))
    density.backward()
    assert density.item() == pytest.approx(2.76898, abs=1e-5)
    assert large.grad.item() == 0
