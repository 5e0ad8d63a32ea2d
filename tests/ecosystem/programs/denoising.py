"""denoising-diffusion-pytorch: diffusion of images and of series trains and samples."""

import denoising_diffusion_pytorch as diffusion

import torch
from report import report

torch.manual_seed(0)
network = diffusion.Unet(dim=16, dim_mults=(1, 2), flash_attn=False)
images = diffusion.GaussianDiffusion(network, image_size=16, timesteps=20, sampling_timesteps=4)
optimizer = torch.optim.Adam(images.parameters(), 1e-3)
losses = []
for _ in range(3):
    optimizer.zero_grad()
    loss = images(torch.rand(2, 3, 16, 16))
    loss.backward()
    optimizer.step()
    losses.append(loss)
sampled = images.sample(batch_size=2)

torch.manual_seed(0)
network = diffusion.Unet1D(dim=16, dim_mults=(1, 2), channels=4)
series = diffusion.GaussianDiffusion1D(network, seq_length=16, timesteps=10, objective="pred_v")
loss = series(torch.rand(2, 4, 16))
loss.backward()
report(losses=losses, sampled=sampled, series=[loss, series.sample(batch_size=2)])
