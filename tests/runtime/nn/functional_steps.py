"""Steps of torch.optim's functions of lists; the program prints their results, here or with PyTorch.

python functional_steps.py RESULTS.pt
"""

import importlib
import inspect
import sys

import torch

SETTINGS = {
    "lr": 0.1,
    "beta1": 0.9,
    "beta2": 0.99,
    "weight_decay": 0.01,
    "eps": 1e-6,
    "amsgrad": True,
    "maximize": False,
    "momentum": 0.9,
    "dampening": 0.1,
    "nesterov": False,
    "lr_decay": 0.1,
    "rho": 0.9,
    "lambd": 1e-3,
    "t0": 1.0,
    "alpha": 0.8,
    "momentum_decay": 4e-3,
    "centered": True,
    "step_size_min": 1e-6,
    "step_size_max": 50.0,
    "etaminus": 0.5,
    "etaplus": 1.2,
}
NAMES = "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd".split()  # noqa: SIM905
ONES = ("mus", "mu_products")


def states(name, function):
    """The lists that a function takes, by parameter name, for two parameters."""
    found = {}
    for parameter in list(inspect.signature(function).parameters.values())[2:]:
        if parameter.default is not parameter.empty or parameter.kind is parameter.KEYWORD_ONLY:
            break
        if parameter.name in ("state_steps", *ONES):
            value = float(parameter.name in ONES)
            found[parameter.name] = [torch.tensor(value) for _ in range(2)]
        elif parameter.name == "etas":
            found[parameter.name] = [torch.tensor(0.1) for _ in range(2)]
        elif name == "sgd":
            found[parameter.name] = [None, None]
        else:
            start = 0.1 if parameter.name == "step_sizes" else 0.0
            found[parameter.name] = [torch.full((3,), start), torch.full((2, 2), start)]
    return found


def results():
    """The parameters and states after three steps of each function, with and without `foreach`."""
    found = {}
    for name in NAMES:
        function = getattr(importlib.import_module(f"torch.optim.{name}"), name)
        wanted = inspect.signature(function).parameters
        settings = {
            key: value
            for key, value in SETTINGS.items()
            if key in wanted and wanted[key].kind is inspect.Parameter.KEYWORD_ONLY
        }
        for foreach in (False, True):
            params = [torch.arange(3.0), torch.ones(2, 2)]
            lists = states(name, function)
            for step in range(3):
                grads = [torch.tensor([1.0, -2.0, 0.5 - step]), torch.full((2, 2), 0.3)]
                with torch.no_grad():
                    function(params, grads, *lists.values(), foreach=foreach, **settings)
            found[name, foreach] = [params, *lists.values()]
    return found


if __name__ == "__main__":
    torch.save(results(), sys.argv[1])
