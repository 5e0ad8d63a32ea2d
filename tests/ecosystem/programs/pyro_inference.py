"""pyro: stochastic variational inference by guides, and Hamiltonian Monte Carlo, of a regression."""

import pyro
from pyro import distributions as dist
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceMeanField_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal, AutoLowRankMultivariateNormal

import torch
from report import report

pyro.set_rng_seed(0)
x = torch.randn(32, 2)
y = x @ torch.tensor([1.0, -2.0]) + 0.5 + 0.1 * torch.randn(32)


def model(x, y=None):
    """A linear regression."""
    weight = pyro.sample("weight", dist.Normal(torch.zeros(2), 1.0).to_event(1))
    bias = pyro.sample("bias", dist.Normal(0.0, 1.0))
    sigma = pyro.sample("sigma", dist.HalfNormal(1.0))
    with pyro.plate("data", len(x)):
        return pyro.sample("y", dist.Normal(x @ weight + bias, sigma), obs=y)


def infer(kind, elbo):
    """Return the losses and the parameters of a guide."""
    pyro.clear_param_store()
    pyro.set_rng_seed(1)
    guide = kind(model)
    svi = SVI(model, guide, pyro.optim.ClippedAdam({"lr": 0.02}), elbo)
    losses = [svi.step(x, y) for _ in range(20)]
    drawn = Predictive(model, guide=guide, num_samples=4)(x)["y"]
    return [*losses[::5], drawn.mean(0)[:4]]


def sample():
    """Return statistics of a short chain."""
    pyro.set_rng_seed(2)
    chain = MCMC(
        NUTS(model, step_size=0.1, max_tree_depth=4), 5, warmup_steps=5, disable_progbar=True
    )
    chain.run(x.double(), y.double())
    return [value.mean(0) for value in chain.get_samples().values()]


torch.set_default_dtype(torch.float64)
x, y = x.double(), y.double()
report(
    diagonal=infer(AutoDiagonalNormal, Trace_ELBO()),
    low_rank=infer(AutoLowRankMultivariateNormal, TraceMeanField_ELBO(num_particles=2)),
    chain=sample(),
)
