"""spikingjelly: kinds of spiking neurons, in single steps and in many."""

from spikingjelly.activation_based import functional, layer, neuron, surrogate

import torch
from report import report
from torch import nn

torch.manual_seed(0)
found = {}
kinds = {
    "integrate": neuron.IFNode(),
    "leaky": neuron.LIFNode(surrogate_function=surrogate.ATan()),
    "learned": neuron.ParametricLIFNode(),
    "quadratic": neuron.QIFNode(),
    "izhikevich": neuron.IzhikevichNode(),
}
for name, kind in kinds.items():
    network = nn.Sequential(layer.Linear(4, 8), kind, layer.Linear(8, 2), neuron.LIFNode())
    x = torch.rand(3, 5, 4, requires_grad=True)
    spikes = sum(network(step) for step in x)
    spikes.sum().backward()
    found[name] = [spikes, x.grad]
    functional.reset_net(network)
images = nn.Sequential(
    layer.Conv2d(1, 4, 3), layer.BatchNorm2d(4), neuron.LIFNode(), layer.MaxPool2d(2)
)
functional.set_step_mode(images, "m")
report(images=images(torch.rand(3, 2, 1, 8, 8) * 3), **found)
