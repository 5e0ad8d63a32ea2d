"""Probability distributions: draws, densities, moments and divergences."""

import sys as _sys

from torch.distributions import constraints, transforms
from torch.distributions import utils as utils
from torch.distributions.constraint_registry import biject_to, transform_to
from torch.distributions.continuous import Cauchy, Exponential, Laplace, Normal, StudentT, Uniform
from torch.distributions.discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    ContinuousBernoulli,
    Geometric,
    Multinomial,
    NegativeBinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    Poisson,
)
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.gamma_family import Beta, Chi2, Dirichlet, FisherSnedecor, Gamma
from torch.distributions.kl import kl_divergence, register_kl
from torch.distributions.multivariate import (
    LKJCholesky,
    LowRankMultivariateNormal,
    MultivariateNormal,
    VonMises,
    Wishart,
)
from torch.distributions.transformed import (
    ExpRelaxedCategorical,
    GeneralizedPareto,
    Gumbel,
    HalfCauchy,
    HalfNormal,
    Independent,
    InverseGamma,
    Kumaraswamy,
    LogisticNormal,
    LogitRelaxedBernoulli,
    LogNormal,
    MixtureSameFamily,
    Pareto,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
    TransformedDistribution,
    Weibull,
)
from torch.distributions.transforms import *  # noqa: F403
from torch.distributions.transforms import __all__ as _transform_names
from torch.distributions.transforms import identity_transform as identity_transform

# PyTorch has a module for each distribution; these are the modules that define them here.
_MODULES = {
    "bernoulli": Bernoulli,
    "beta": Beta,
    "binomial": Binomial,
    "categorical": Categorical,
    "cauchy": Cauchy,
    "chi2": Chi2,
    "continuous_bernoulli": ContinuousBernoulli,
    "dirichlet": Dirichlet,
    "exp_family": ExponentialFamily,
    "exponential": Exponential,
    "fishersnedecor": FisherSnedecor,
    "gamma": Gamma,
    "generalized_pareto": GeneralizedPareto,
    "geometric": Geometric,
    "gumbel": Gumbel,
    "half_cauchy": HalfCauchy,
    "half_normal": HalfNormal,
    "independent": Independent,
    "inverse_gamma": InverseGamma,
    "kumaraswamy": Kumaraswamy,
    "laplace": Laplace,
    "lkj_cholesky": LKJCholesky,
    "log_normal": LogNormal,
    "logistic_normal": LogisticNormal,
    "lowrank_multivariate_normal": LowRankMultivariateNormal,
    "mixture_same_family": MixtureSameFamily,
    "multinomial": Multinomial,
    "multivariate_normal": MultivariateNormal,
    "negative_binomial": NegativeBinomial,
    "normal": Normal,
    "one_hot_categorical": OneHotCategorical,
    "pareto": Pareto,
    "poisson": Poisson,
    "relaxed_bernoulli": RelaxedBernoulli,
    "relaxed_categorical": RelaxedOneHotCategorical,
    "studentT": StudentT,
    "transformed_distribution": TransformedDistribution,
    "uniform": Uniform,
    "von_mises": VonMises,
    "weibull": Weibull,
    "wishart": Wishart,
}
for _name, _class in _MODULES.items():
    globals()[_name] = _sys.modules[f"{__name__}.{_name}"] = _sys.modules[_class.__module__]

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli",
    "Dirichlet", "Distribution", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough",
    "Pareto", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT",
    "TransformedDistribution", "Uniform", "VonMises", "Weibull", "Wishart", "biject_to",
    "constraints", "kl_divergence", "register_kl", "transform_to", "transforms",
    *_transform_names,
]  # fmt: skip
del ExpRelaxedCategorical, LogitRelaxedBernoulli
