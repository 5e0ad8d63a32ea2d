"""The polynomial of pytorch/examples/regression, fitted by plain gradient steps."""

from itertools import count

import torch
from report import report
from torch.nn import functional as F

torch.manual_seed(0)
W_target, b_target = torch.randn(4, 1) * 5, torch.randn(1) * 5
fc = torch.nn.Linear(4, 1)
losses = []
for index in count(1):
    x = torch.randn(32).unsqueeze(1)
    powers = torch.cat([x**i for i in range(1, 5)], 1)
    fc.zero_grad()
    output = F.smooth_l1_loss(fc(powers), powers.mm(W_target) + b_target.item())
    output.backward()
    for parameter in fc.parameters():
        parameter.data.add_(-0.1 * parameter.grad)
    losses.append(output)
    if index == 60:
        break
report(losses=losses[::10], weight=fc.weight, bias=fc.bias)
