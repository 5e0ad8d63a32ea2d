"""diffusers: denoising networks and an autoencoder train, and three schedulers draw samples."""

from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    UNet2DConditionModel,
    UNet2DModel,
)

import torch
from report import report

torch.manual_seed(0)
small = {"layers_per_block": 1, "block_out_channels": (8, 16), "norm_num_groups": 4}
network = UNet2DModel(
    sample_size=16,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    attention_head_dim=4,
    **small,
)
noising = DDPMScheduler(num_train_timesteps=50)
optimizer, losses = torch.optim.AdamW(network.parameters(), 1e-3), []
for _ in range(3):
    images, noise = torch.rand(2, 3, 16, 16), torch.randn(2, 3, 16, 16)
    times = torch.randint(0, 50, (2,))
    found = network(noising.add_noise(images, noise, times), times).sample
    loss = torch.nn.functional.mse_loss(found, noise)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)

samples = []
for kind in (DDIMScheduler, EulerDiscreteScheduler, DPMSolverMultistepScheduler):
    scheduler = kind(num_train_timesteps=50)
    scheduler.set_timesteps(3)
    drawn = torch.randn(1, 3, 16, 16, generator=torch.Generator().manual_seed(3))
    drawn = drawn * scheduler.init_noise_sigma
    with torch.no_grad():
        for time in scheduler.timesteps:
            noise = network(scheduler.scale_model_input(drawn, time), time).sample
            drawn = scheduler.step(noise, time, drawn).prev_sample
    samples.append(drawn)

torch.manual_seed(2)
autoencoder = AutoencoderKL(
    block_out_channels=(8, 8),
    down_block_types=("DownEncoderBlock2D",) * 2,
    up_block_types=("UpDecoderBlock2D",) * 2,
    norm_num_groups=4,
    latent_channels=2,
)
rebuilt = autoencoder(torch.rand(1, 3, 16, 16)).sample
rebuilt.mean().backward()
conditioned = UNet2DConditionModel(
    sample_size=8,
    in_channels=2,
    out_channels=2,
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
    up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
    cross_attention_dim=12,
    attention_head_dim=4,
    **small,
)
text = conditioned(torch.randn(1, 2, 8, 8), 3, torch.randn(1, 5, 12)).sample
report(losses=losses, samples=samples, rebuilt=rebuilt, text=text)
