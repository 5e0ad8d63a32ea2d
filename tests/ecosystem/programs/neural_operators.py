"""neuraloperator and tensorly-torch: operators in Fourier space with dense and factorized weights train."""

import neuralop
import tltorch

import torch
from report import report


def train(make):
    """Take three steps with complex weights, and return the losses."""
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, weight_decay=1e-4)
    inputs, targets = torch.rand(2, 1, 16, 16), torch.rand(2, 1, 16, 16)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = neuralop.H1Loss(d=2)(outputs, targets) + neuralop.LpLoss(d=2)(outputs, targets)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


common = {"n_modes": (8, 8), "hidden_channels": 8, "in_channels": 1, "out_channels": 1}
tucker = {"factorization": "tucker", "rank": 0.3, "implementation": "factorized"}
torch.manual_seed(0)
weight = tltorch.FactorizedTensor.new((4, 5, 6), rank=0.5, factorization="TT").normal_(0, 0.1)
layer = tltorch.TRL((4, 5), (3,), rank="same")
layer.weight.normal_(0, 0.1)
report(
    dense=train(lambda: neuralop.models.FNO(n_layers=2, **common)),
    factorized=train(lambda: neuralop.models.TFNO(n_layers=2, **tucker, **common)),
    train_of_tensors=weight.to_tensor(),
    regression=layer(torch.randn(2, 4, 5)),
)
