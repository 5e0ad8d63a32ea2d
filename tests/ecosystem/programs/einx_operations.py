"""einx: rearranging, reducing and multiplying with named axes."""

import einx

import torch
from report import report

torch.manual_seed(0)
x, weight = torch.randn(4, 6, 8, requires_grad=True), torch.randn(8, 5)
y = einx.dot("b n [c], [c] d -> b n d", x, weight)
z = einx.id("b (h n) c -> b h (n c)", x, h=2)
total = einx.sum("b [n] c", x)
(y.square().mean() + z.abs().sum() + total.sum()).backward()
report(y=y, z=z, total=total, gradient=x.grad)
