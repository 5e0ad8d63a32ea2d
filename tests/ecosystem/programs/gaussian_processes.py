"""gpytorch and botorch: exact and variational Gaussian processes, and a step of Bayesian optimization."""

import gpytorch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler

import torch
from report import report


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Variational(gpytorch.models.ApproximateGP):
    def __init__(self, points):
        chosen = gpytorch.variational.CholeskyVariationalDistribution(points.size(0))
        super().__init__(gpytorch.variational.VariationalStrategy(self, points, chosen))
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=1.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


def train(objective, parameters, rate):
    optimizer, losses = torch.optim.Adam(parameters, lr=rate), []
    for _ in range(4):
        optimizer.zero_grad()
        loss = objective()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


torch.manual_seed(0)
x = torch.linspace(0, 1, 30)
y = torch.sin(6 * x) + 0.1 * torch.randn(30)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
exact = Exact(x, y, likelihood)
evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, exact)
losses = train(lambda: -evidence(exact(x), y), exact.parameters(), 0.1)
exact.eval(), likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    low, high = likelihood(exact(torch.linspace(0, 1, 7))).confidence_region()

variational, classes = Variational(x[::4, None].clone()), gpytorch.likelihoods.BernoulliLikelihood()
bound = gpytorch.mlls.VariationalELBO(classes, variational, 30)
labels = (y > 0).float()
bounds = train(lambda: -bound(variational(x[:, None]), labels), variational.parameters(), 0.05)

torch.manual_seed(0)
places = torch.rand(10, 2, dtype=torch.double)
values = 1 - (places - 0.5).norm(dim=-1, keepdim=True)
model = SingleTaskGP(places, values)
fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
square = torch.stack([torch.zeros(2), torch.ones(2)]).double()
gain = LogExpectedImprovement(model, best_f=values.max())
place, _ = optimize_acqf(gain, bounds=square, q=1, num_restarts=2, raw_samples=8)
sampler = SobolQMCNormalSampler(torch.Size([16]), seed=3)
pairs = qLogExpectedImprovement(model, best_f=values.max(), sampler=sampler)
report(
    losses=losses,
    low=low,
    high=high,
    bounds=bounds,
    place=place,
    pairs=pairs(torch.rand(3, 2, 2, dtype=torch.double)),
    mean=model.posterior(places[:3]).mean,
)
