"""ncps and loralib: liquid time constants, closed forms of them, and layers of low rank."""

import loralib
from ncps.torch import LTC, CfC
from ncps.wirings import AutoNCP

import torch
from report import report
from torch import nn

torch.manual_seed(0)
series, target = torch.rand(2, 5, 3), torch.rand(2, 5, 4)


def trained(model, loss_of):
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.Adam(weights, 1e-2)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        losses.append(loss_of(model))
        losses[-1].backward()
        optimizer.step()
    return losses


wiring = AutoNCP(12, 4)
recurrent = {
    "liquid": LTC(3, wiring),
    "closed_form": CfC(3, wiring),
    "with_memory": CfC(3, 4, mixed_memory=True),
}
found = {
    name: trained(model, lambda model: (model(series)[0] - target).square().mean())
    for name, model in recurrent.items()
}
adapted = nn.Sequential(
    loralib.Linear(3, 8, r=2),
    nn.ReLU(),
    loralib.MergedLinear(8, 6, r=2, enable_lora=[True, False, True]),
)
loralib.mark_only_lora_as_trainable(adapted)
found["low_rank"] = trained(adapted, lambda model: model(series).square().mean())
report(**found, stored=list(loralib.lora_state_dict(adapted).values()))
