"""The steps of DataParallel: scatter inputs, copy the module, run the copies, gather the results."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._utils import ExceptionWrapper
from torch.nn.modules.module import Module
from torch.utils._pytree import tree_leaves

__all__ = ["gather", "parallel_apply", "replicate", "scatter"]


def _device(target: Any) -> torch.device:
    if not isinstance(target, int):
        return torch.device(target)
    accelerator = torch.accelerator.current_accelerator()
    if target == -1 or accelerator is None:
        return torch.device("cpu")
    return torch.device(accelerator.type, target)


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Split tensors among devices; other objects are repeated.

    Args:
        inputs: A tensor, or nested tuples, lists and dictionaries of tensors.
        target_gpus: The devices.
        dim: The dimension to split.

    Returns:
        One object like `inputs` for each device, in a tuple or a list.

    Example:
        >>> first, second = nn.parallel.scatter({"x": torch.arange(3)}, ["cpu", "cpu"])  # doctest: +SKIP
        >>> first["x"], second["x"]  # doctest: +SKIP
        (tensor([0, 1]), tensor([2]))
    """
    devices = [_device(target) for target in target_gpus]

    def split(value: Any) -> Any:
        if isinstance(value, Tensor):
            chunks = value.chunk(len(devices), dim)
            return tuple(c.to(d) for c, d in zip(chunks, devices, strict=False))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return [type(value)(*items) for items in zip(*map(split, value), strict=False)]
        if isinstance(value, tuple) and value:
            return list(zip(*map(split, value), strict=False))
        if isinstance(value, list) and value:
            return [list(items) for items in zip(*map(split, value), strict=False)]
        if isinstance(value, dict) and value:
            parts = zip(*map(split, value.values()), strict=False)
            return [type(value)(zip(value, items, strict=True)) for items in parts]
        return [value] * len(devices)

    return split(inputs)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Join the results of several devices on one.

    Args:
        outputs: One object for each device, of tensors in nested tuples, lists and dictionaries.
        target_device: The device, or its index; -1 is the CPU.
        dim: The dimension to join along; numbers become vectors.

    Example:
        >>> nn.parallel.gather([{"x": torch.ones(1)}, {"x": torch.zeros(2)}], "cpu")  # doctest: +SKIP
        {'x': tensor([1., 0., 0.])}
    """
    device, first = _device(target_device), outputs[0]
    if isinstance(first, Tensor):
        moved = [each.to(device) for each in outputs]
        if all(each.dim() == 0 for each in moved) and dim == 0:
            moved = [each.view(1) for each in moved]
        return torch.cat(moved, dim)
    if first is None:
        return None
    if isinstance(first, Mapping):
        if any(len(each) != len(first) for each in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)(  # type: ignore[call-arg]
            (key, gather([each[key] for each in outputs], target_device, dim)) for key in first
        )
    joined = [gather(items, target_device, dim) for items in zip(*outputs, strict=True)]
    return type(first)(*joined) if hasattr(first, "_fields") else type(first)(joined)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copy a module to devices; gradients of the copies reach the module's parameters.

    Args:
        network: The module.
        devices: A device for each copy.
        detach: Whether the copies have no connection to the module's gradients.

    Example:
        >>> layer = nn.Linear(1, 1, bias=False)  # doctest: +SKIP
        >>> first, second = nn.parallel.replicate(layer, ["cpu", "cpu"])  # doctest: +SKIP
        >>> (first(torch.ones(1)) + second(torch.ones(1))).backward()  # doctest: +SKIP
        >>> layer.weight.grad  # doctest: +SKIP
        tensor([[2.]])
    """
    return [_replica(network, _device(device), detach, {}) for device in devices]


def _replica(module: Module, device: torch.device, detach: bool, copies: dict[Any, Any]) -> Module:
    if module in copies:
        return copies[module]
    made = copy.copy(module)
    copies[module] = made
    made.__dict__ = {**module.__dict__, "_is_replica": True}

    def moved(tensor: Tensor | None) -> Tensor | None:
        if tensor is None:
            return None
        if tensor not in copies:
            copies[tensor] = (tensor.detach() if detach else tensor).to(device).view_as(tensor)
        return copies[tensor]

    # Copies of parameters are results of operators, so they are attributes and no parameters.
    made._parameters = {}
    made._buffers = {name: moved(buffer) for name, buffer in module._buffers.items()}
    made._modules = {
        name: None if child is None else _replica(child, device, detach, copies)
        for name, child in module._modules.items()
    }
    made._former_parameters = {name: moved(p) for name, p in module._parameters.items()}
    made.__dict__.update(made._former_parameters)
    return made


def _device_of(value: Any) -> torch.device | None:
    tensors = [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]
    return tensors[0].device if tensors else None


def _callers_stream(device: Any) -> Any:
    """Return the calling thread's stream, which the threads of the copies run on; None on the CPU."""
    place = None if device is None else _device(device)
    return torch.cuda.current_stream(place) if place is not None and place.type == "cuda" else None


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Call modules at the same time, each in a thread of its own.

    Args:
        modules: The modules.
        inputs: The argument of each call, or a tuple of them.
        kwargs_tup: The keyword arguments of each call.
        devices: The device of each call; those of the inputs if None.

    Raises:
        Exception: The first error of a call.

    Example:
        >>> nn.parallel.parallel_apply([nn.ReLU(), nn.Identity()], [-torch.ones(1)] * 2)  # doctest: +SKIP
        [tensor([0.]), tensor([-1.])]
    """
    options = kwargs_tup or [{}] * len(modules)
    if not len(modules) == len(inputs) == len(options):
        raise AssertionError(
            f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}"
        )
    results: list[Any] = [None] * len(modules)
    streams = [
        _callers_stream(devices[i] if devices else _device_of(inputs[i]))
        for i in range(len(modules))
    ]
    grad_enabled = torch.is_grad_enabled()

    def call(index: int) -> None:
        given = inputs[index]
        try:
            with torch.set_grad_enabled(grad_enabled), torch.cuda.stream(streams[index]):
                args = tuple(given) if isinstance(given, (list, tuple)) else (given,)
                results[index] = modules[index](*args, **options[index])
        except Exception:
            results[index] = ExceptionWrapper(where=f"in replica {index}")

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(modules))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, ExceptionWrapper):
            result.reraise()
    return results
