"""snntorch and norse: networks of spiking neurons train with surrogate gradients."""

import norse.torch as norse
import snntorch
from snntorch import spikegen, surrogate

import torch
from report import report
from torch import nn

torch.manual_seed(0)
x, labels = torch.rand(8, 10), torch.randint(0, 3, (8,))
spikes = spikegen.rate(x, num_steps=6)


def trained(step, parameters):
    """Return the losses of a few steps."""
    optimizer, losses = torch.optim.Adam(parameters, 1e-2), []
    for _ in range(3):
        loss = nn.functional.cross_entropy(step(), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return losses


hidden, last = nn.Linear(10, 16), nn.Linear(16, 3)
first = snntorch.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid())
second = snntorch.Synaptic(alpha=0.8, beta=0.9, learn_beta=True)


def leaky():
    """Return the spikes of all time steps added up."""
    memory = first.init_leaky()
    current, other = second.init_synaptic()
    total = 0
    for row in spikes:
        spike, memory = first(hidden(row), memory)
        out, current, other = second(last(spike), current, other)
        total = total + out + 0.1 * other
    return total


parameters = [*hidden.parameters(), *last.parameters(), *second.parameters()]
leaky_losses = trained(leaky, parameters)

torch.manual_seed(1)
network = norse.SequentialState(
    nn.Linear(10, 16), norse.LIFCell(), nn.Linear(16, 3), norse.LICell()
)


def cells():
    """Return the voltages after all time steps."""
    state = None
    for row in spikes:
        voltage, state = network(row, state)
    return voltage


report(
    spikes=spikes,
    leaky=leaky_losses,
    cells=trained(cells, network.parameters()),
    weights=hidden.weight,
)
