"""entmax: sparse alternatives to softmax and their losses, with gradients; nflows: a normalizing flow."""

from entmax import entmax15, entmax15_loss, entmax_bisect, sparsemax, sparsemax_loss
from nflows import distributions, flows, transforms

import torch
from report import report

torch.manual_seed(0)
scores = torch.randn(4, 7, requires_grad=True)
alpha = torch.tensor(1.3, requires_grad=True)
chosen = torch.randint(0, 7, (4,))
values = {
    "sparsemax": sparsemax(scores, -1),
    "entmax": entmax15(scores, -1),
    "bisected": entmax_bisect(scores, alpha),
    "sparsemax_loss": sparsemax_loss(scores, chosen),
    "entmax_loss": entmax15_loss(scores, chosen),
}
gradients = [torch.autograd.grad((v**2).sum(), scores, retain_graph=True) for v in values.values()]
(slope,) = torch.autograd.grad((values["bisected"] ** 2).sum(), alpha)

torch.set_default_dtype(torch.double)
torch.manual_seed(0)
layers = transforms.CompositeTransform(
    [
        transforms.MaskedAffineAutoregressiveTransform(2, 8),
        transforms.RandomPermutation(2),
        transforms.MaskedPiecewiseRationalQuadraticAutoregressiveTransform(
            2, 8, tails="linear", tail_bound=3.0
        ),
        transforms.LULinear(2),
        transforms.ActNorm(2),
    ]
)
flow = flows.Flow(layers, distributions.StandardNormal([2]))
optimizer, losses = torch.optim.Adam(flow.parameters(), 1e-2), []
data = torch.randn(32, 2)
for _ in range(3):
    loss = -flow.log_prob(data).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
report(**values, gradients=gradients, slope=slope, losses=losses, samples=flow.sample(5))
