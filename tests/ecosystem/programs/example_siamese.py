"""The network of pytorch/examples/siamese_network, with a small trunk, on made-up images."""

import torch
from report import report
from torch import nn, optim


class Siamese(nn.Module):
    """A trunk for both images, and a head for the pair."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2)
        )
        self.fc = nn.Sequential(nn.Linear(64, 32), nn.ReLU(inplace=True), nn.Linear(32, 1))

    def forward(self, a, b):
        features = [torch.flatten(self.trunk(x), 1) for x in (a, b)]
        return torch.sigmoid(self.fc(torch.cat(features, 1)))


torch.manual_seed(3)
model = Siamese()
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
a, b = torch.randn(16, 1, 28, 28), torch.randn(16, 1, 28, 28)
targets = (torch.rand(16) > 0.5).float()
losses = []
for _ in range(6):
    optimizer.zero_grad()
    loss = nn.BCELoss()(model(a, b).squeeze(), targets)
    loss.backward()
    optimizer.step()
    losses.append(loss)
report(losses=losses, scores=model(a, b), running=model.trunk[1].running_var)
