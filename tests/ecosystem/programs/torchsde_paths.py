"""torchsde: a stochastic differential equation is solved by several methods, and its drift is trained."""

import torchsde

import torch
from report import report


class Equation(torch.nn.Module):
    """A drift by a small network, and a diagonal diffusion."""

    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
        )

    def f(self, t, y):
        return self.net(y)

    def g(self, t, y):
        return 0.2 * torch.sigmoid(y)


torch.manual_seed(0)
equation, times, start = Equation(), torch.linspace(0, 1, 4), torch.full((3, 2), 0.1)
optimizer = torch.optim.Adam(equation.parameters(), lr=1e-2)
losses, last = [], []
for method in ("euler", "milstein", "srk"):
    noise = torchsde.BrownianInterval(
        0.0, 1.0, size=(3, 2), entropy=7, levy_area_approximation="space-time"
    )
    path = torchsde.sdeint(equation, start, times, bm=noise, dt=0.05, method=method)
    loss = (path[-1] - 1).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
    last.append(path[-1])
noise = torchsde.BrownianInterval(0.0, 1.0, size=(3, 2), entropy=9)
path = torchsde.sdeint_adjoint(equation, start, times, bm=noise, dt=0.1, method="euler")
path.sum().backward()
report(losses=losses, last=last, gradient=equation.net[0].weight.grad)
