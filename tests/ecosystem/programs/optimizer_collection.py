"""pytorch-optimizer: steps of several optimizers."""

import pytorch_optimizer

import torch
from report import report

NAMES = [
    "adabelief",
    "adan",
    "adopt",
    "came",
    "lamb",
    "lion",
    "prodigy",
    "ranger21",
    "sgdw",
    "shampoo",
    "soap",
    "sophiah",
    "tiger",
    "yogi",
]


def steps(name):
    """Return the losses of three steps."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 3))
    x, losses = torch.rand(5, 4), []
    options = {"num_iterations": 10} if name == "ranger21" else {}
    optimizer = pytorch_optimizer.load_optimizer(name)(model.parameters(), lr=1e-2, **options)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward(create_graph=name == "sophiah")
        optimizer.step()
        losses.append(loss)
    return losses


report(**{name: steps(name) for name in NAMES})
