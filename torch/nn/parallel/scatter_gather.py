"""Split the arguments of a call among devices, and join the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

__all__ = ["gather", "scatter", "scatter_kwargs"]


def device_of_index(target: Any) -> torch.device:
    """Return the device for a device, its name or its index; -1 is the CPU."""
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
    devices = [device_of_index(target) for target in target_gpus]

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


def scatter_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_gpus: Sequence[Any],
    dim: int = 0,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Return the arguments and the keyword arguments of each device's call.

    Tensors are split in `dim`; there are fewer calls than devices if that is smaller.

    Example:
        >>> from torch.nn.parallel.scatter_gather import scatter_kwargs
        >>> scatter_kwargs((1,), {}, ["cpu"])  # doctest: +SKIP
        (((1,),), ({},))
    """
    positional = [tuple(each) for each in scatter(inputs, target_gpus, dim)] if inputs else []
    named = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    # Arguments without tensors are repeated for each device, even if it gets no part of a tensor.
    calls = min((len(each) for each in (positional, named) if each), default=0)
    return (
        tuple(positional[:calls]) or ((),) * calls,
        tuple(named[:calls]) or tuple({} for _ in range(calls)),
    )


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
    device, first = device_of_index(target_device), outputs[0]
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
