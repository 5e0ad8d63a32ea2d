"""A call in a form that both libraries read, and what comes of it: values and gradients."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

import torch


@dataclass(frozen=True)
class Array:
    """A tensor: its numbers, its strides in elements, and whether it requires a gradient."""

    numbers: np.ndarray
    strides: tuple[int, ...]
    requires_grad: bool


@dataclass(frozen=True)
class Constant:
    """An object by its name, such as torch.float32, or a device."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of the function with this dotted name in torch."""

    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


class NotWritable(Exception):
    """An argument that has no written form, such as a sparse tensor or a function."""


def written(value: Any) -> Any:
    """Return the argument without objects of the library."""
    if isinstance(value, torch.Tensor):
        if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout != torch.strided:
            raise NotWritable(type(value))
        numbers = value.detach().resolve_conj().resolve_neg().contiguous().numpy()
        return Array(numbers, value.stride(), value.requires_grad)
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return Constant(str(value))
    if isinstance(value, torch.device):
        return Constant(value.type)
    if isinstance(value, (list, tuple)):
        return type(value)(map(written, value)) if type(value) in (list, tuple) else None
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    if value is None or value is ... or isinstance(value, (bool, int, float, complex, str)):
        return value
    if isinstance(value, (slice, np.generic)):
        return value
    raise NotWritable(type(value))


def tensor(array: Array) -> torch.Tensor:
    """Return the tensor, with the strides it had unless elements shared memory."""
    plain = torch.from_numpy(array.numbers.copy())
    if plain.stride() != array.strides and 0 not in array.strides:
        plain = torch.empty_strided(plain.shape, array.strides, dtype=plain.dtype).copy_(plain)
    return plain.requires_grad_(array.requires_grad)


def read(value: Any) -> Any:
    """Return the argument that was written."""
    if isinstance(value, Array):
        return tensor(value)
    if isinstance(value, Constant):
        prefix, _, name = value.text.rpartition(".")
        return getattr(torch, name) if prefix == "torch" else torch.device(value.text)
    if type(value) in (list, tuple):
        return type(value)(map(read, value))
    if isinstance(value, dict):
        return {key: read(item) for key, item in value.items()}
    return value


def function(name: str) -> Callable[..., Any]:
    """Return the function with this dotted name in torch."""
    importlib.import_module("torch.nn.functional")
    found: Callable[..., Any] = reduce(getattr, name.split("."), torch)
    return found


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors of nested lists, tuples and dictionaries, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))


def cotangent(output: torch.Tensor) -> torch.Tensor:
    """Return weights for the gradient, which differ from element to element."""
    weights = torch.from_numpy(np.linspace(-1, 1, output.numel()).reshape(output.shape))
    return weights.to(output.dtype)


def outcome(call: Call) -> dict[str, Any]:
    """Make the call. Return its results and the gradients of its arguments, or the error's type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            arguments, keywords = read(call.arguments), read(call.keywords)
            results = list(tensors(function(call.name)(*arguments, **keywords)))
            outcome = {"results": [written(result) for result in results]}
            outputs = [result for result in results if result.requires_grad]
            inputs = [one for one in tensors([arguments, keywords]) if one.requires_grad]
            if outputs and inputs:
                found = torch.autograd.grad(
                    outputs, inputs, [cotangent(one) for one in outputs], allow_unused=True
                )
                outcome["gradients"] = [None if one is None else written(one) for one in found]
        except Exception as error:
            return {"error": type(error).__name__}
    return outcome
