"""The gradients of a sample in either interpreter: values, nodes and saved attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import torch

from .model import Operator, Sample
from .outcome import Raised, to_numpy

Node = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Gradients:
    """The nodes of the results that have one, and a gradient for each floating argument."""

    nodes: list[Node | None]
    values: list[np.ndarray | None]


def differentiable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def leaves_of(value: Any) -> list[torch.Tensor]:
    """Return a leaf for every floating tensor in an argument, which may be a nested list."""
    if differentiable(value):
        return [value.detach().clone().requires_grad_()]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in leaves_of(each)]
    return []


def substituted(value: Any, leaves: list[torch.Tensor]) -> Any:
    """Replace the floating tensors of an argument by the first of `leaves`."""
    if differentiable(value):
        return leaves.pop(0)
    if isinstance(value, list | tuple):
        return type(value)(substituted(each, leaves) for each in value)
    return value


def floating_results(result: Any) -> list[torch.Tensor]:
    results = result if isinstance(result, list | tuple) else [result]
    return [each for each in results if differentiable(each) and each.requires_grad]


def as_function(
    operator: Operator, sample: Sample
) -> tuple[Callable[..., tuple[torch.Tensor, ...]], list[torch.Tensor]]:
    """Return the call as a function of its floating tensors, and these tensors as leaves."""
    leaves = leaves_of([*sample.args, *sample.kwargs.values()])

    def function(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rest = list(inputs)
        args = [substituted(each, rest) for each in sample.args]
        kwargs = {name: substituted(each, rest) for name, each in sample.kwargs.items()}
        return tuple(floating_results(operator.function()(*args, **kwargs)))

    return function, leaves


def is_finite(sample: Sample) -> bool:
    """Whether a difference quotient means anything: at NaN and infinity, PyTorch itself gives one
    gradient in whole registers and another in what is left of a row."""
    return all(bool(leaf.isfinite().all()) for leaf in leaves_of([*sample.args]))


def weight_of(result: torch.Tensor) -> torch.Tensor:
    """Return a fixed upstream gradient with a different value for every element."""
    steps = torch.arange(1, result.numel() + 1, dtype=torch.float64)
    return torch.cos(steps).reshape(tuple(result.shape)).to(result.dtype)


def describe(result: torch.Tensor) -> Node | None:
    node = result.grad_fn
    if node is None:
        return None
    saved = sorted(name for name in dir(node) if name.startswith("_saved_"))
    return node.name().removeprefix("torch::autograd::"), tuple(saved)


def run(operator: Operator, sample: Sample) -> Gradients | Raised:
    """Call the operator with inputs that require grad, and run backward from all results."""
    function, leaves = as_function(operator, sample)
    try:
        results = function(*leaves)
        if not results:
            return Gradients([], [])
        upstream = [weight_of(each) for each in results]
        nodes = [describe(each) for each in results]
        grads = torch.autograd.grad(results, leaves, upstream, allow_unused=True)
        values = [None if each is None else to_numpy(each.detach()).copy() for each in grads]
    except Exception as error:
        return Raised(type(error).__name__, (str(error).splitlines() or [""])[0])
    return Gradients(nodes, values)
