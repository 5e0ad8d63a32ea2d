"""rtdl-revisiting-models: a transformer and a residual network for tables."""

from rtdl_revisiting_models import FTTransformer, ResNet

import torch
from report import report

torch.manual_seed(0)
settings = FTTransformer.get_default_kwargs(1)
model = FTTransformer(n_cont_features=3, cat_cardinalities=[4, 5], d_out=2, **settings).eval()
output = model(torch.randn(4, 3), torch.randint(0, 4, (4, 2)))
output.sum().backward()
residual = ResNet(
    d_in=3,
    d_out=1,
    n_blocks=2,
    d_block=8,
    d_hidden=None,
    d_hidden_multiplier=2.0,
    dropout1=0.0,
    dropout2=0.0,
)
optimizer = torch.optim.AdamW(residual.parameters(), lr=1e-2)
x, losses = torch.randn(16, 3), []
for _ in range(4):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(residual(x).squeeze(1), x.sum(1))
    loss.backward()
    optimizer.step()
    losses.append(loss)
report(
    output=output,
    gradients=[p.grad for p in model.parameters() if p.grad is not None][:4],
    losses=losses,
)
