"""zuko: normalising flows train by likelihood, and are sampled."""

import zuko

import torch
from report import report

data = torch.randn(32, 3, generator=torch.Generator().manual_seed(0)) * torch.tensor(
    [1.0, 2.0, 0.5]
)


def train(flow, likelihood):
    """Return the losses of a few steps and likelihoods."""
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        loss = -likelihood(data).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return [*losses, likelihood(data[:4])]


torch.manual_seed(1)
found = {}
for name in ("MAF", "NSF", "NICE"):
    flow = getattr(zuko.flows, name)(3, transforms=2, hidden_features=(16, 16))
    found[name] = train(flow, lambda x, flow=flow: flow().log_prob(x))
    found[name].append(flow().rsample((4,)))
report(**found)
