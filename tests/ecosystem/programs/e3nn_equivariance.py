"""e3nn: irreducible representations, spherical harmonics and a tensor product that trains."""

from e3nn import nn as e3nn_nn
from e3nn import o3

import torch
from report import report

torch.manual_seed(0)
inputs, outputs = o3.Irreps("4x0e + 2x1o"), o3.Irreps("3x0e + 2x1o + 1x2e")
points = torch.randn(5, 3)
harmonics = o3.spherical_harmonics([0, 1, 2], points, normalize=True)
product = o3.FullyConnectedTensorProduct(inputs, "0e + 1o + 2e", outputs)
gate = e3nn_nn.NormActivation(outputs, torch.sigmoid)
features = torch.randn(5, inputs.dim)
optimizer = torch.optim.Adam(product.parameters(), lr=1e-2)
losses = []
for _ in range(3):
    result = gate(product(features, harmonics))
    loss = result.square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
turn = o3.angles_to_matrix(torch.tensor(0.1), torch.tensor(0.2), torch.tensor(0.3))
report(
    losses=losses,
    result=result,
    harmonics=harmonics,
    wigner=o3.wigner_3j(1, 1, 2),
    turned=outputs.D_from_matrix(turn),
    linear=o3.Linear(inputs, outputs)(features),
)
