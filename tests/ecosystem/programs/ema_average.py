"""ema-pytorch: an exponential moving average follows a model that trains."""

from ema_pytorch import EMA

import torch
from report import report
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
ema = EMA(model, beta=0.9, update_after_step=2, update_every=1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y = torch.randn(32, 4), torch.randn(32, 1)
losses = []
for _ in range(12):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    ema.update()
    losses.append(loss)
report(losses=losses, average=ema(x), online=model(x))
