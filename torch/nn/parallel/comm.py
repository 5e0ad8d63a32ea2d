"""Copy tensors to several devices, and bring them together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.nn.parallel.scatter_gather import device_of_index

__all__ = [
    "broadcast",
    "broadcast_coalesced",
    "gather",
    "reduce_add",
    "reduce_add_coalesced",
    "scatter",
]
Tensor = torch.Tensor


def _one_of(devices: Any, out: Any) -> None:
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got {devices=} and {out=}"
        )


def broadcast(
    tensor: Tensor, devices: Iterable[Any] | None = None, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Copy a tensor to several devices.

    Args:
        tensor: The tensor.
        devices: The devices or their indices; the tensor itself is the copy on its own device.
        out: Tensors that the copies are written to, instead of `devices`.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.broadcast(torch.ones(1), ["cpu"])  # doctest: +SKIP
        (tensor([1.]),)
    """
    _one_of(devices, out)
    if out is not None:
        return tuple(each.copy_(tensor, non_blocking=True) for each in out)
    return tuple(tensor.to(device_of_index(device), non_blocking=True) for device in devices or ())


def broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Iterable[Any], buffer_size: int = 10485760
) -> list[list[Tensor]]:
    """Copy several tensors to several devices; return a list for each device.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.broadcast_coalesced([torch.ones(1)], ["cpu"])  # doctest: +SKIP
        [[tensor([1.])]]
    """
    places = [device_of_index(device) for device in devices]
    return [[tensor.to(place, non_blocking=True) for tensor in tensors] for place in places]


def reduce_add(inputs: Sequence[Tensor], destination: Any = None) -> Tensor:
    """Return the sum of tensors on several GPUs.

    Args:
        inputs: The tensors, of the same sizes.
        destination: The device of the sum; that of the current GPU by default.

    Raises:
        AssertionError: If a tensor is on the CPU.
        ValueError: If the sizes differ.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.reduce_add([torch.ones(1, device="cuda:0")] * 2)  # doctest: +SKIP
        tensor([2.], device='cuda:0')
    """
    for index, tensor in enumerate(inputs):
        if tensor.device.type == "cpu":
            raise AssertionError(
                f"reduce_add expects all inputs to be on GPUs, but input {index} is on CPU"
            )
        if tensor.shape != inputs[0].shape:
            raise ValueError(
                f"input {index} has invalid size: got {'x'.join(map(str, tensor.shape))}, but "
                f"expected {'x'.join(map(str, inputs[0].shape))}"
            )
    device = inputs[0].device if destination is None else device_of_index(destination)
    total = inputs[0].to(device)
    for tensor in inputs[1:]:
        total = total + tensor.to(device)
    return total


def reduce_add_coalesced(
    inputs: Sequence[Sequence[Tensor]], destination: Any = None, buffer_size: int = 10485760
) -> tuple[Tensor, ...]:
    """Return the sums of the tensors at each place of lists, which hold those of one GPU each.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.reduce_add_coalesced([[torch.ones(1, device="cuda:0")]] * 2)  # doctest: +SKIP
        (tensor([2.], device='cuda:0'),)
    """
    return tuple(reduce_add(each, destination) for each in zip(*inputs, strict=True))


def scatter(
    tensor: Tensor,
    devices: Sequence[Any] | None = None,
    chunk_sizes: Sequence[int] | None = None,
    dim: int = 0,
    streams: Any = None,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor among devices.

    Args:
        tensor: The tensor.
        devices: The devices or their indices.
        chunk_sizes: The sizes of the parts; equal by default.
        dim: The dimension to split.
        streams: Ignored.
        out: Tensors that the parts are written to, instead of `devices`.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.scatter(torch.arange(4), ["cpu", "cpu"])  # doctest: +SKIP
        (tensor([0, 1]), tensor([2, 3]))
    """
    _one_of(devices, out)
    if out is not None:
        sizes = [each.shape[dim] for each in out]
        parts = tensor.split(sizes, dim)
        return tuple(each.copy_(part) for each, part in zip(out, parts, strict=True))
    places = [device_of_index(device) for device in devices or ()]
    parts = (
        tensor.chunk(len(places), dim)
        if chunk_sizes is None
        else tensor.split(list(chunk_sizes), dim)
    )
    return tuple(part.to(place) for part, place in zip(parts, places, strict=False))


def gather(
    tensors: Sequence[Tensor], dim: int = 0, destination: Any = None, *, out: Tensor | None = None
) -> Tensor:
    """Concatenate tensors of several devices.

    Args:
        tensors: The tensors.
        dim: The dimension along which they are joined.
        destination: The device of the result; the first tensor's by default.
        out: A tensor that the result is written to, instead of `destination`.

    Raises:
        RuntimeError: If both are given.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.gather([torch.zeros(1), torch.ones(1)], destination="cpu")  # doctest: +SKIP
        tensor([0., 1.])
    """
    if out is not None:
        if destination is not None:
            raise RuntimeError(
                f"'destination' must not be specified when 'out' is specified, but got "
                f"{destination=}"
            )
        return torch.cat([tensor.to(out.device) for tensor in tensors], dim, out=out)
    device = tensors[0].device if destination is None else device_of_index(destination)
    return torch.cat([tensor.to(device) for tensor in tensors], dim)
