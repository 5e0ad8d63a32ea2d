"""einops: a small mixer trains with Rearrange, Reduce, EinMix and the functions."""

import einops
from einops.layers.torch import EinMix, Rearrange, Reduce

import torch
from report import report
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
    EinMix("b n c -> b n d", weight_shape="c d", bias_shape="d", c=48, d=16),
    nn.GELU(),
    nn.LayerNorm(16),
    EinMix("b n c -> b m c", weight_shape="n m c", n=4, m=4, c=16),
    Reduce("b n c -> b c", "mean"),
    nn.Linear(16, 3),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
images, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 3, (8,))
losses = []
for _ in range(10):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss)
packed, shapes = einops.pack([images, images[:, 0]], "b * w")
repeated = einops.repeat(images, "b c h w -> b c (h 2) (w 2)")
product = einops.einsum(images, images, "b c h w, d c h w -> b d")
report(losses=losses, packed=packed, repeated=repeated, product=product, count=len(shapes))
