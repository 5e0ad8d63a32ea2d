"""The generator and discriminator of pytorch/examples/dcgan, smaller, on made-up images."""

import torch
from report import report
from torch import nn, optim


def weights_init(m):
    """Initialise a layer by its class."""
    if "Conv" in type(m).__name__:
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif "BatchNorm" in type(m).__name__:
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


torch.manual_seed(2)
generator = nn.Sequential(
    nn.ConvTranspose2d(8, 16, 4, 1, 0, bias=False),
    nn.BatchNorm2d(16),
    nn.ReLU(True),
    nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False),
    nn.BatchNorm2d(8),
    nn.ReLU(True),
    nn.ConvTranspose2d(8, 3, 4, 2, 1, bias=False),
    nn.Tanh(),
)
discriminator = nn.Sequential(
    nn.Conv2d(3, 8, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(8, 16, 4, 2, 1, bias=False),
    nn.BatchNorm2d(16),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(16, 1, 4, 1, 0, bias=False),
    nn.Sigmoid(),
    nn.Flatten(0),
)
generator.apply(weights_init)
discriminator.apply(weights_init)
criterion = nn.BCELoss()
optimizers = [
    optim.Adam(m.parameters(), lr=2e-4, betas=(0.5, 0.999)) for m in (discriminator, generator)
]
losses = []
for _ in range(4):
    real, noise = torch.randn(8, 3, 16, 16).tanh(), torch.randn(8, 8, 1, 1)
    ones, zeros = torch.ones(8), torch.zeros(8)
    discriminator.zero_grad()
    fake = generator(noise)
    loss_real = criterion(discriminator(real), ones)
    loss_fake = criterion(discriminator(fake.detach()), zeros)
    (loss_real + loss_fake).backward()
    optimizers[0].step()
    generator.zero_grad()
    loss_generator = criterion(discriminator(fake), ones)
    loss_generator.backward()
    optimizers[1].step()
    losses += [loss_real, loss_fake, loss_generator]
report(losses=losses, fake=fake)
