"""Distributions with parameters; as a program it writes their numbers as JSON, also in PyTorch."""

# ruff: noqa: B023, RUF024 (the lambdas are called before the loop goes on)

import json
import sys
import warnings

import torch
from torch import distributions as D
from torch.distributions import biject_to, constraints, kl_divergence, transform_to

T = torch.tensor
COVARIANCE = T([[2.0, 0.5], [0.5, 1.0]])

TABLE = {
    "Bernoulli": [lambda: D.Bernoulli(T([0.2, 0.7])), lambda: D.Bernoulli(logits=T([0.3, -2.0]))],
    "Beta": [lambda: D.Beta(T([0.5, 2.0]), T([3.0, 1.5]))],
    "Binomial": [lambda: D.Binomial(6, T([0.2, 0.7])), lambda: D.Binomial(6, logits=T([0.3]))],
    "Categorical": [lambda: D.Categorical(T([[0.2, 0.3, 0.5]])), lambda: D.Categorical(
        logits=T([0.3, -1.0, 2.0]))],
    "Cauchy": [lambda: D.Cauchy(T([0.0, 1.0]), T([1.0, 3.0]))],
    "Chi2": [lambda: D.Chi2(T([1.0, 4.5]))],
    "ContinuousBernoulli": [lambda: D.ContinuousBernoulli(T([0.2, 0.5, 0.9]))],
    "Dirichlet": [lambda: D.Dirichlet(T([[0.5, 1.5, 3.0]]))],
    "Exponential": [lambda: D.Exponential(T([0.5, 2.0]))],
    "FisherSnedecor": [lambda: D.FisherSnedecor(T([3.0, 5.0]), T([6.0, 9.0]))],
    "Gamma": [lambda: D.Gamma(T([0.5, 12.0]), T([2.0, 0.3]))],
    "GeneralizedPareto": [lambda: D.GeneralizedPareto(T([0.0, 1.0]), T([1.0, 2.0]), T([0.0, 0.3]))],
    "Geometric": [lambda: D.Geometric(T([0.2, 0.7]))],
    "Gumbel": [lambda: D.Gumbel(T([0.0, 1.0]), T([1.0, 3.0]))],
    "HalfCauchy": [lambda: D.HalfCauchy(T([1.0, 3.0]))],
    "HalfNormal": [lambda: D.HalfNormal(T([1.0, 3.0]))],
    "Independent": [lambda: D.Independent(D.Normal(torch.zeros(3, 2), 1.0), 1)],
    "InverseGamma": [lambda: D.InverseGamma(T([3.0, 5.0]), T([2.0, 0.3]))],
    "Kumaraswamy": [lambda: D.Kumaraswamy(T([2.0, 3.0]), T([2.0, 0.5]))],
    "LKJCholesky": [lambda: D.LKJCholesky(3, T(1.5))],
    "Laplace": [lambda: D.Laplace(T([0.0, 1.0]), T([1.0, 3.0]))],
    "LogNormal": [lambda: D.LogNormal(T([0.0, 0.5]), T([0.5, 0.3]))],
    "LogisticNormal": [lambda: D.LogisticNormal(T([0.0, 0.5]), T([0.5, 0.3]))],
    "LowRankMultivariateNormal": [lambda: D.LowRankMultivariateNormal(
        T([0.0, 1.0]), T([[1.0], [0.5]]), T([1.0, 2.0]))],
    "MixtureSameFamily": [lambda: D.MixtureSameFamily(
        D.Categorical(T([0.3, 0.7])), D.Normal(T([0.0, 2.0]), T([1.0, 0.5])))],
    "Multinomial": [lambda: D.Multinomial(5, T([0.2, 0.3, 0.5]))],
    "MultivariateNormal": [
        lambda: D.MultivariateNormal(T([0.0, 1.0]), COVARIANCE),
        lambda: D.MultivariateNormal(T([0.0, 1.0]), precision_matrix=COVARIANCE),
        lambda: D.MultivariateNormal(torch.zeros(3, 2), scale_tril=COVARIANCE.tril()),
    ],
    "NegativeBinomial": [lambda: D.NegativeBinomial(T([3.0, 1.5]), T([0.2, 0.7]))],
    "Normal": [lambda: D.Normal(T([0.0, 1.0]), T([1.0, 3.0])), lambda: D.Normal(0.5, 2.0)],
    "OneHotCategorical": [lambda: D.OneHotCategorical(T([0.2, 0.3, 0.5]))],
    "Pareto": [lambda: D.Pareto(T([1.0, 2.0]), T([3.0, 4.0]))],
    "Poisson": [lambda: D.Poisson(T([0.5, 8.0]))],
    "RelaxedBernoulli": [lambda: D.RelaxedBernoulli(T(0.7), T([0.2, 0.7]))],
    "RelaxedOneHotCategorical": [lambda: D.RelaxedOneHotCategorical(T(0.7), T([0.2, 0.3, 0.5]))],
    "StudentT": [lambda: D.StudentT(T([3.0, 6.0]), T([0.0, 1.0]), T([1.0, 2.0]))],
    "TransformedDistribution": [lambda: D.TransformedDistribution(
        D.Normal(T([0.0, 1.0]), 1.0), [D.AffineTransform(1.0, 2.0), D.SigmoidTransform()])],
    "Uniform": [lambda: D.Uniform(T([0.0, 1.0]), T([2.0, 1.5]))],
    "VonMises": [lambda: D.VonMises(T([0.0, 1.0]), T([1.0, 5.0]))],
    "Weibull": [lambda: D.Weibull(T([1.0, 3.0]), T([1.5, 2.0]))],
    "Wishart": [lambda: D.Wishart(T(4.0), COVARIANCE)],
}  # fmt: skip
VALUES = {
    "Categorical": [T([0]), T([2])], "Bernoulli": [T([0.0]), T([1.0])],
    "Binomial": [T([0.0]), T([4.0])], "Geometric": [T([0.0]), T([4.0])],
    "NegativeBinomial": [T([0.0]), T([4.0])], "Poisson": [T([0.0]), T([4.0])],
    "Dirichlet": [T([0.2, 0.3, 0.5])], "LogisticNormal": [T([0.2, 0.3, 0.5])],
    "RelaxedOneHotCategorical": [T([0.2, 0.3, 0.5])], "Multinomial": [T([1.0, 1.0, 3.0])],
    "OneHotCategorical": [T([0.0, 1.0, 0.0])], "Independent": [T([0.2, 0.3])],
    "MultivariateNormal": [T([0.2, 0.3])], "LowRankMultivariateNormal": [T([0.2, 0.3])],
    "LKJCholesky": [T([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]])],
    "Wishart": [T([[2.0, 0.3], [0.3, 1.5]])], "GeneralizedPareto": [T([1.5]), T([4.0])],
    "Pareto": [T([2.5]), T([4.0])], "Uniform": [T([1.2])],
    **dict.fromkeys(("Beta", "ContinuousBernoulli", "Kumaraswamy", "RelaxedBernoulli",
                     "TransformedDistribution"), [T([0.3]), T([0.9])]),
}  # fmt: skip
DEFAULT = [T([0.3]), T([2.5])]
PROPERTIES = ("mean", "variance", "stddev", "mode")
SETS = ("positive", "unit_interval", "simplex", "lower_cholesky", "corr_cholesky", "real_vector")


def numbers(call):
    """The result as nested lists, or the name of the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call()
    except NotImplementedError:
        return "NotImplementedError"
    except (ValueError, RuntimeError) as error:
        return type(error).__name__
    return [list(result.shape), [float(x) for x in result.double().flatten()]]


def report():
    found = {}
    instances = {
        f"{name} {i}": make() for name, made in TABLE.items() for i, make in enumerate(made)
    }
    for key, p in instances.items():
        for name in PROPERTIES:
            found[f"{key} {name}"] = numbers(lambda: getattr(p, name))
        found[f"{key} entropy"] = numbers(p.entropy)
        for j, value in enumerate(VALUES.get(key.split()[0], DEFAULT)):
            found[f"{key} log_prob {j}"] = numbers(lambda: p.log_prob(value))
            if key.split()[0] not in ("Gamma", "Chi2", "InverseGamma"):
                found[f"{key} cdf {j}"] = numbers(lambda: p.cdf(value))
        found[f"{key} icdf"] = numbers(lambda: p.icdf(T(0.3)))
        found[f"{key} expand"] = numbers(lambda: p.expand((4, *p.batch_shape)).sample((2,)) * 0)
        found[f"{key} support"] = [[], [float(p.has_rsample), float(p.has_enumerate_support)]]
        found[f"{key} enumerate"] = numbers(p.enumerate_support)
        torch.manual_seed(1)
        found[f"{key} draws"] = numbers(lambda: p.sample((5,)))
    for a, p in instances.items():
        for b, q in instances.items():
            if p.event_shape == q.event_shape:
                found[f"kl {a} {b}"] = numbers(lambda: kl_divergence(p, q))
    x = T([[0.3, -1.0, 2.0], [0.1, 0.2, -0.3], [1.5, 0.0, 0.4]])
    for name in SETS:
        for table in (biject_to, transform_to):
            try:
                transform = table(getattr(constraints, name))
            except NotImplementedError:
                continue
            y = transform(x)
            key = f"{table is biject_to} {name}"
            found[f"{key} forward"] = numbers(lambda: y)
            found[f"{key} inverse"] = numbers(lambda: transform.inv(y))
            if transform.bijective:
                found[f"{key} jacobian"] = numbers(lambda: transform.log_abs_det_jacobian(x, y))
    return found


if __name__ == "__main__":
    torch.manual_seed(0)
    json.dump(report(), sys.stdout)
