"""The variational auto-encoder of pytorch/examples/vae, on made-up images."""

import torch
from report import report
from torch import nn, optim
from torch.nn import functional as F


class VAE(nn.Module):
    """An encoder to a mean and a variance, and a decoder."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(784, 64), nn.Linear(64, 4), nn.Linear(64, 4)
        self.fc3, self.fc4 = nn.Linear(4, 64), nn.Linear(64, 784)

    def forward(self, x):
        h = F.relu(self.fc1(x.view(-1, 784)))
        mu, logvar = self.fc21(h), self.fc22(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


torch.manual_seed(1)
images = torch.rand(64, 1, 28, 28)
model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    recon, mu, logvar = model(images)
    bce = F.binary_cross_entropy(recon, images.view(-1, 784), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    (bce + kld).backward()
    optimizer.step()
    losses += [bce, kld]
report(losses=losses, recon=recon, mu=mu)
