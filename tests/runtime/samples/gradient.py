"""What the gradients of a sample are, in either interpreter: values, node and saved attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import torch

from .model import Operator, Sample
from .outcome import Raised, to_numpy


@dataclass(frozen=True)
class Gradients:
    """nodes: name and saved attributes of each result's grad_fn; values: one for each argument."""

    nodes: list[tuple[str, tuple[str, ...]] | None]
    values: list[np.ndarray | None]


def differentiable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def requiring(value: Any, leaves: list[torch.Tensor]) -> Any:
    """The argument with every floating tensor in it made a leaf that requires grad."""
    if differentiable(value):
        leaves.append(value.detach().clone().requires_grad_())
        return leaves[-1]
    if isinstance(value, list | tuple):
        return type(value)(requiring(each, leaves) for each in value)
    return value


def flat_tensors(result: Any) -> list[torch.Tensor]:
    """The tensors of a result with a history."""
    results = result if isinstance(result, list | tuple) else [result]
    return [each for each in results if isinstance(each, torch.Tensor) and each.requires_grad]


def weight_of(result: torch.Tensor) -> torch.Tensor:
    """A fixed upstream gradient that treats every element differently."""
    steps = torch.arange(1, result.numel() + 1, dtype=torch.float64)
    return torch.cos(steps).reshape(tuple(result.shape)).to(result.dtype)


def describe(result: torch.Tensor) -> tuple[str, tuple[str, ...]] | None:
    node = result.grad_fn
    if node is None:
        return None
    names = sorted(n for n in dir(node) if n.startswith("_saved_"))
    return node.name(), tuple(names)


def run(operator: Operator, sample: Sample) -> Gradients | Raised:
    """Call the operator with inputs that require grad, and go back from all its results."""
    leaves: list[torch.Tensor] = []
    args = requiring(sample.args, leaves)
    kwargs = {name: requiring(value, leaves) for name, value in sample.kwargs.items()}
    try:
        results = flat_tensors(operator.function()(*args, **kwargs))
        nodes = [describe(each) for each in results]
        if not results:
            return Gradients([], [])
        upstream = [weight_of(each) for each in results]
        grads = torch.autograd.grad(results, leaves, upstream, allow_unused=True)
    except Exception as error:
        return Raised(type(error).__name__, (str(error).splitlines() or [""])[0])
    values = [None if each is None else to_numpy(each.detach()).copy() for each in grads]
    return Gradients(nodes, values)
