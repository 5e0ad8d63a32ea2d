"""Print the numbers of a program as one line of JSON: each tensor as its first elements and sums."""

import json
import sys

import torch

FIRST = 8


def _numbers(value):
    if isinstance(value, torch.Tensor):
        flat = value.detach().double().flatten()
        return [*flat[:FIRST].tolist(), flat.sum().item(), flat.abs().sum().item()]
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in _numbers(item)]
    return [float(value)]


def report(**values):
    """Print the numbers of each value, which is a number, a tensor, or a list of them."""
    found = {name: _numbers(value) for name, value in values.items()}
    print(json.dumps(found), flush=True)
    sys.stdout.flush()
