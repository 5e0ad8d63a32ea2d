"""Copies and sums of tensors over several CUDA devices of one process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.cuda import _lazy, nccl
from torch.cuda._devices import _get_device_index

__all__ = [
    "broadcast",
    "broadcast_coalesced",
    "gather",
    "reduce_add",
    "reduce_add_coalesced",
    "scatter",
]

# The dtypes that NCCL adds. Other tensors are copied one by one.
_COLLECTIVE = frozenset(
    (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.int8, torch.uint8, torch.int32, torch.int64),
    )
)


def _place(device: Any) -> torch.device:
    return torch.device("cuda", _get_device_index(device))


def broadcast(
    tensor: torch.Tensor, devices: Iterable[Any] | None = None, *, out: Any = None
) -> tuple[torch.Tensor, ...]:
    """Copy a tensor to several devices.

    Args:
        tensor: A tensor on the CPU or on a CUDA device.
        devices: The devices; the tensor itself is returned for the one it is on.
        out: Tensors to copy to instead; either this or `devices` is given.

    Raises:
        RuntimeError: If both or neither of `devices` and `out` are given.

    Example:
        >>> torch.cuda.comm.broadcast(torch.ones(2), [0, 1])  # doctest: +SKIP
    """
    _lazy.require_build()
    if (devices is None) == (out is None):
        raise RuntimeError(
            "Exactly one of 'devices' and 'out' must be specified, but got "
            f"devices={devices} and out={out}"
        )
    if devices is not None:
        return _copies(tensor, [_place(device) for device in devices])
    for each in out:
        each.copy_(tensor, non_blocking=True)
    return tuple(out)


def _copies(tensor: torch.Tensor, places: list[torch.device]) -> tuple[torch.Tensor, ...]:
    """Return the tensor on each device, by NCCL if it can."""
    first = tensor.to(places[0], non_blocking=True) if places else tensor
    results = (first, *(torch.empty_like(first, device=place) for place in places[1:]))
    if len(places) > 1 and tensor.dtype in _COLLECTIVE and nccl.is_available(results):
        nccl.broadcast(results)
        return results
    return tuple(tensor.to(place, non_blocking=True) for place in places)


def broadcast_coalesced(
    tensors: Sequence[torch.Tensor], devices: Sequence[Any], buffer_size: int = 10485760
) -> list[tuple[torch.Tensor, ...]]:
    """Copy several tensors to several devices.

    Args:
        tensors: Tensors on the first device.
        devices: The devices.
        buffer_size: Accepted for compatibility; each tensor is copied by itself.

    Example:
        >>> torch.cuda.comm.broadcast_coalesced([torch.ones(2)], [0, 1])  # doctest: +SKIP
    """
    copies = [broadcast(tensor, devices) for tensor in tensors]
    return [tuple(copy[i] for copy in copies) for i in range(len(devices))]


def reduce_add(inputs: Sequence[torch.Tensor], destination: Any = None) -> torch.Tensor:
    """Return the sum of tensors on several devices.

    Args:
        inputs: CUDA tensors of one shape.
        destination: The device of the sum; the current one if None.

    Raises:
        AssertionError: If a tensor is not on a CUDA device.
        ValueError: If the shapes differ.

    Example:
        >>> torch.cuda.comm.reduce_add([a, b], destination=0)  # doctest: +SKIP
    """
    for number, tensor in enumerate(inputs):
        if tensor.device.type == "cpu":
            raise AssertionError(
                f"reduce_add expects all inputs to be on GPUs, but input {number} is on CPU"
            )
        if tensor.size() != inputs[0].size():
            raise ValueError(
                f"input {number} has invalid size: got {tensor.size()}, but expected "
                f"{inputs[0].size()}"
            )
    place = torch.device("cuda", _get_device_index(destination, optional=True))
    roots = [number for number, tensor in enumerate(inputs) if tensor.device == place]
    if len(inputs) > 1 and roots and inputs[0].dtype in _COLLECTIVE and nccl.is_available(inputs):
        total = torch.empty_like(inputs[roots[0]])
        nccl.reduce(inputs, output=total, root=roots[0])
        return total
    result = inputs[0].to(place, non_blocking=True)
    for number, tensor in enumerate(inputs[1:]):
        part = tensor.to(place, non_blocking=True)
        result = result + part if number == 0 else result.add_(part)
    return result


def reduce_add_coalesced(
    inputs: Sequence[Sequence[torch.Tensor]], destination: Any = None, buffer_size: int = 10485760
) -> tuple[torch.Tensor, ...]:
    """Return the sums of corresponding tensors in several lists, one for each device.

    Args:
        inputs: The lists.
        destination: The device of the sums; the current one if None.
        buffer_size: Accepted for compatibility; each tensor is copied by itself.

    Example:
        >>> torch.cuda.comm.reduce_add_coalesced([[a], [b]], destination=0)  # doctest: +SKIP
    """
    return tuple(reduce_add(tensors, destination) for tensors in zip(*inputs, strict=True))


def scatter(
    tensor: torch.Tensor,
    devices: Iterable[Any] | None = None,
    chunk_sizes: Sequence[int] | None = None,
    dim: int = 0,
    streams: Sequence[Any] | None = None,
    *,
    out: Sequence[torch.Tensor] | None = None,
) -> tuple[torch.Tensor, ...]:
    """Copy each part of a tensor to a different device.

    Args:
        tensor: A tensor on the CPU or on a CUDA device.
        devices: The devices.
        chunk_sizes: The sizes of the parts; equal ones if None.
        dim: The dimension that is split.
        streams: The streams that copy; the current ones if None.
        out: Tensors to copy to instead of `devices` and `chunk_sizes`.

    Example:
        >>> torch.cuda.comm.scatter(torch.ones(4), [0, 1])  # doctest: +SKIP
    """
    _lazy.require_build()
    if out is not None:
        if devices is not None or chunk_sizes is not None:
            raise RuntimeError("'devices' and 'chunk_sizes' must not be given together with 'out'")
        parts = tensor.split([each.size(dim) for each in out], dim)
        for part, each in zip(parts, out, strict=True):
            each.copy_(part, non_blocking=True)
        return tuple(out)
    places = [_place(device) for device in devices or ()]
    if not places:
        raise ValueError("expected at least one device")
    parts = (
        tensor.split(list(chunk_sizes), dim)
        if chunk_sizes is not None
        else tensor.chunk(len(places), dim)
    )
    results = []
    for number, (part, place) in enumerate(zip(parts, places, strict=False)):
        with torch.cuda.stream(streams[number] if streams else None):
            results.append(part.to(place, non_blocking=True))
    return tuple(results)


def gather(
    tensors: Sequence[torch.Tensor],
    dim: int = 0,
    destination: Any = None,
    *,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Join tensors of several devices on one.

    Args:
        tensors: CUDA tensors whose sizes differ in `dim` only.
        dim: The dimension in which they are joined.
        destination: The device of the result, or "cpu"; the current one if None.
        out: A tensor to copy to instead.

    Example:
        >>> torch.cuda.comm.gather([a, b], destination="cpu")  # doctest: +SKIP
    """
    _lazy.require_build()
    for number, tensor in enumerate(tensors):
        if not tensor.is_cuda:
            raise RuntimeError(f"Expected all input tensors to be CUDA tensors, not input {number}")
    if out is not None:
        for part, tensor in zip(
            out.split([each.size(dim) for each in tensors], dim), tensors, strict=True
        ):
            part.copy_(tensor, non_blocking=True)
        return out
    index = _get_device_index(destination, optional=True, allow_cpu=True)
    place = torch.device("cpu") if index < 0 else torch.device("cuda", index)
    return torch.cat([tensor.to(place) for tensor in tensors], dim)
