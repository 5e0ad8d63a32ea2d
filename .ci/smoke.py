"""Try an installed wheel: import it, calculate, and take one training step."""

from __future__ import annotations

import torch

print(torch.__version__, torch.__file__)
x = torch.arange(6.0).reshape(2, 3)
assert (x @ torch.ones(3, 2)).tolist() == [[3.0, 3.0], [12.0, 12.0]]
assert x.sum().item() == 15 and x.softmax(1).shape == (2, 3)
torch.manual_seed(0)
assert torch.rand(3).dtype is torch.float32
print(torch.nn.functional.relu(x - 2))
model = torch.nn.Linear(3, 1)
model(x).sum().backward()
torch.optim.SGD(model.parameters(), lr=0.1).step()
assert model.weight.grad.tolist() == [[3.0, 5.0, 7.0]]
