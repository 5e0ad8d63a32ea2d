"""opacus: gradients of single samples, and training with noise, of a small convolutional network."""

from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer

import torch
from report import report
from torch import nn

torch.manual_seed(0)
network = nn.Sequential(
    nn.Conv2d(1, 4, 3),
    nn.GroupNorm(2, 4),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(4 * 36, 5),
)
model = GradSampleModule(network)
optimizer = DPOptimizer(
    torch.optim.SGD(model.parameters(), lr=0.1),
    noise_multiplier=1.0,
    max_grad_norm=1.0,
    expected_batch_size=6,
)
losses = []
for _ in range(3):
    x, y = torch.randn(6, 1, 8, 8), torch.randint(0, 5, (6,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    samples = [p.grad_sample.clone() for p in model.parameters()]
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
report(losses=losses, samples=samples, weights=list(model.parameters()))
