"""torchlens: every operation of a network, with its output, recorded by wrapping torch's functions."""

import torchlens

import torch
from report import report

torch.manual_seed(0)
network = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3),
    torch.nn.BatchNorm2d(4),
    torch.nn.GELU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(36, 5),
)
given = torch.rand(2, 3, 8, 8)
trace = torchlens.trace(network, given)
labels = [str(label) for label in trace.layer_labels]
report(
    count=len(labels),
    labels=[sum(map(ord, label)) for label in labels],
    output=network.eval()(given),
)
