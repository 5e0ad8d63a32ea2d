"""lion-pytorch, schedulefree, torch-optimizer and torch-ema: optimizers of other packages on one model."""

import schedulefree
import torch_optimizer
from lion_pytorch import Lion
from torch_ema import ExponentialMovingAverage

import torch
from report import report

x = torch.randn(32, 4, generator=torch.Generator().manual_seed(0))
y = x.sin().sum(1, keepdim=True)


def train(make):
    """Return the losses of a few steps, and of the averaged weights."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = make(model.parameters())
    average = ExponentialMovingAverage(model.parameters(), decay=0.9)
    losses = []
    if hasattr(optimizer, "train"):
        optimizer.train()
    for _ in range(5):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward(create_graph=True)
        optimizer.step()
        average.update()
        losses.append(loss)
    if hasattr(optimizer, "eval"):
        optimizer.eval()
    with average.average_parameters(), torch.no_grad():
        return [*losses, torch.nn.functional.mse_loss(model(x), y)]


names = ("AdaBound", "AdaMod", "AdamP", "DiffGrad", "Lamb", "NovoGrad", "QHAdam", "SGDW", "Yogi")
found = {name: train(lambda p, n=name: getattr(torch_optimizer, n)(p, lr=1e-2)) for name in names}
report(
    lion=train(lambda p: Lion(p, lr=1e-2, weight_decay=0.1)),
    free=train(lambda p: schedulefree.AdamWScheduleFree(p, lr=1e-2, foreach=True)),
    free_sgd=train(lambda p: schedulefree.SGDScheduleFree(p, lr=1e-1, foreach=False)),
    **found,
)
