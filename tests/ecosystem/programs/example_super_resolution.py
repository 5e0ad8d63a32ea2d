"""The network of pytorch/examples/super_resolution, on made-up images: orthogonal weights, PixelShuffle."""

import torch
from report import report
from torch import nn, optim

torch.manual_seed(123)
layers = [nn.Conv2d(1, 16, 5, 1, 2), nn.Conv2d(16, 16, 3, 1, 1), nn.Conv2d(16, 4, 3, 1, 1)]
for layer in layers:
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
model = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2], nn.PixelShuffle(2))
large = torch.rand(4, 1, 32, 32)
small = nn.functional.interpolate(large, scale_factor=0.5, mode="bilinear", align_corners=False)
optimizer = optim.Adam(model.parameters(), lr=1e-3)
losses = []
for _ in range(6):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(small), large)
    loss.backward()
    optimizer.step()
    losses.append(loss)
psnr = [10 * torch.log(1 / loss.detach()) for loss in losses]
report(losses=losses, psnr=psnr, output=model(small))
