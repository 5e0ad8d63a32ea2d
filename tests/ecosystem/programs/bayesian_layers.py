"""blitz-bayesian-pytorch and bayesian-torch: layers with distributions of weights train."""

import bayesian_torch.models.dnn_to_bnn as conversion
from blitz.modules import BayesianConv2d, BayesianLinear, BayesianLSTM
from blitz.utils import variational_estimator

import torch
from report import report


@variational_estimator
class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.filters = BayesianConv2d(1, 4, (3, 3))
        self.states = BayesianLSTM(36, 8)
        self.classes = BayesianLinear(8, 2)

    def forward(self, images):
        features = torch.relu(self.filters(images)).flatten(2)
        return self.classes(self.states(features)[0][:, -1])


torch.manual_seed(0)
network = Network()
optimizer = torch.optim.Adam(network.parameters(), 1e-2)
losses = []
for _ in range(3):
    optimizer.zero_grad()
    loss = network.sample_elbo(
        inputs=torch.randn(4, 1, 8, 8),
        labels=torch.tensor([0, 1, 0, 1]),
        criterion=torch.nn.CrossEntropyLoss(),
        sample_nbr=2,
    )
    loss.backward()
    optimizer.step()
    losses.append(loss)

converted = {}
for kind in ("Flipout", "Reparameterization"):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 3)
    )
    settings = {"prior_mu": 0.0, "prior_sigma": 1.0, "posterior_mu_init": 0.0, "type": kind}
    settings |= {"posterior_rho_init": -3.0, "moped_enable": False, "moped_delta": 0.5}
    conversion.dnn_to_bnn(model, settings)
    outputs, divergence = model(torch.randn(2, 1, 8, 8)), conversion.get_kl_loss(model)
    (outputs.square().sum() + divergence).backward()
    converted[kind] = [outputs, divergence, model[0].mu_kernel.grad]
report(losses=losses, **converted)
