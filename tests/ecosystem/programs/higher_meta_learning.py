"""higher: gradients through the steps of an optimizer, for meta-learning."""

import higher

import torch
from report import report
from torch import nn

torch.manual_seed(0)
network = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
inner = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
meta, losses = torch.optim.SGD(network.parameters(), lr=1e-2), []
for _ in range(3):
    meta.zero_grad()
    x, y = torch.randn(16, 2), torch.randn(16, 1)
    with higher.innerloop_ctx(network, inner, copy_initial_weights=False) as (learner, optimizer):
        for _ in range(3):
            optimizer.step(nn.functional.mse_loss(learner(x), y))
        loss = nn.functional.mse_loss(learner(x), y)
        loss.backward()
    meta.step()
    losses.append(loss)
report(losses=losses, weights=list(network.parameters()))
