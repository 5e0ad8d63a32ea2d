"""backpack: gradients of single samples, variances and diagonals of the curvature, in one backward pass."""

from backpack import backpack, extend
from backpack.extensions import (
    KFLR,
    BatchGrad,
    BatchL2Grad,
    DiagGGNExact,
    DiagHessian,
    SumGradSquared,
    Variance,
)

import torch
from report import report
from torch import nn

torch.manual_seed(0)
layers = (nn.Conv2d(1, 3, 3), nn.Sigmoid(), nn.Flatten(), nn.Linear(3 * 16, 4))
network, criterion = extend(nn.Sequential(*layers)), extend(nn.CrossEntropyLoss())
loss = criterion(network(torch.randn(5, 1, 6, 6)), torch.randint(0, 4, (5,)))
extensions = (BatchGrad, Variance, DiagGGNExact, BatchL2Grad, KFLR, DiagHessian, SumGradSquared)
with backpack(*(extension() for extension in extensions)):
    loss.backward()
names = ("grad_batch", "variance", "diag_ggn_exact", "batch_l2", "diag_h", "sum_grad_squared")
found = {name: [getattr(p, name) for p in network.parameters()] for name in names}
report(loss=loss, factors=[p.kflr for p in network.parameters()], **found)
