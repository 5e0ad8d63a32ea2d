"""pytorch-minimize: the minimum of Rosenbrock's function by eight methods."""

import torchmin

import torch
from report import report

torch.set_default_dtype(torch.float64)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


start = torch.tensor([-1.2, 1.0, 0.8])
found = {}
for method in (
    "bfgs",
    "l-bfgs",
    "cg",
    "newton-cg",
    "newton-exact",
    "trust-ncg",
    "trust-exact",
    "dogleg",
):
    name = method.replace("-", "_")
    result = torchmin.minimize(rosenbrock, start, method=method)
    found[name] = [result.x, result.fun]

parameter = torch.nn.Parameter(torch.tensor([-1.2, 1.0]))
optimizer = torchmin.Minimizer([parameter], method="bfgs", tol=1e-8)
loss = optimizer.step(lambda: rosenbrock(parameter))
report(**found, optimizer=[loss, parameter])
