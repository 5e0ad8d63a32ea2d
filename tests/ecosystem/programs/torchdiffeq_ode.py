"""torchdiffeq: a neural ODE trains through the solver and through the adjoint method."""

from torchdiffeq import odeint, odeint_adjoint

import torch
from report import report
from torch import nn


class Field(nn.Module):
    """A small vector field."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


torch.manual_seed(0)
true = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
start, times = torch.tensor([[2.0, 0.0]]), torch.linspace(0.0, 1.0, 10)
with torch.no_grad():
    target = odeint(lambda t, y: (y**3) @ true, start, times, method="dopri5")
field = Field()
optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-3)
losses = []
for step in range(6):
    optimizer.zero_grad()
    solve = odeint if step % 2 else odeint_adjoint
    predicted = solve(field, start, times, method="dopri5", rtol=1e-5, atol=1e-6)
    loss = (predicted - target).abs().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss)
fixed = [odeint(field, start, times, method=method)[-1] for method in ("euler", "midpoint", "rk4")]
report(losses=losses, target=target, fixed=fixed, gradient=field.net[0].weight.grad)
