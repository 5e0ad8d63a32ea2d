"""Collectives over several CUDA devices of one process, by NCCL."""

from __future__ import annotations

import collections.abc
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import _C

__all__ = ["all_gather", "all_reduce", "broadcast", "is_available", "reduce", "reduce_scatter"]

SUM = 0

Tensors = Sequence[torch.Tensor]


def _is_built() -> bool:
    return bool(getattr(_C, "_nccl_is_built", bool)())


def _require_build() -> None:
    if not _is_built():
        raise RuntimeError("PyTorch was not built with NCCL support")


def is_available(tensors: Tensors) -> bool:
    """Return whether a collective of these tensors is possible.

    Args:
        tensors: The tensors that a collective would get.

    Returns:
        Whether this build has NCCL, and the tensors are contiguous and on CUDA devices of their own.

    Example:
        >>> torch.cuda.nccl.is_available([torch.ones(1)])
        False
    """
    if not _is_built():
        return False
    devices = {tensor.device for tensor in tensors}
    return len(devices) == len(tensors) and all(
        tensor.is_cuda and tensor.is_contiguous() for tensor in tensors
    )


def version() -> tuple[int | str, ...]:
    """Return NCCL's version: major, minor and patch, and a suffix if it has one.

    Raises:
        RuntimeError: If this build does not have NCCL.

    Example:
        >>> torch.cuda.nccl.version()  # doctest: +SKIP
        (2, 28, 3)
    """
    _require_build()
    number = _C._nccl_version()
    suffix = _C._nccl_version_suffix().decode()
    numbers = (number >> 32, number >> 16 & 0xFFFF, number & 0xFFFF)
    return (*numbers, suffix) if suffix else numbers


def unique_id() -> bytes:
    """Return bytes by which processes find each other, for `init_rank`.

    Example:
        >>> len(torch.cuda.nccl.unique_id())  # doctest: +SKIP
        128
    """
    _require_build()
    return _C._nccl_unique_id()


def init_rank(num_ranks: int, uid: bytes, rank: int) -> Any:
    """Join a group of processes with the current device; blocks until all have joined.

    Args:
        num_ranks: The number of processes.
        uid: The `unique_id` of one of them.
        rank: The number of this one, from 0.

    Returns:
        A communicator, for the `comms` of collectives.

    Raises:
        RuntimeError: On the emulated device, if there is more than one process.

    Example:
        >>> comm = torch.cuda.nccl.init_rank(1, torch.cuda.nccl.unique_id(), 0)  # doctest: +SKIP
    """
    _require_build()
    return _C._nccl_init_rank(num_ranks, uid, rank)


def _check_sequence_type(inputs: Any) -> None:
    if not isinstance(inputs, collections.abc.Container) or isinstance(inputs, torch.Tensor):
        raise TypeError("Inputs should be a collection of tensors")


def all_reduce(
    inputs: Tensors,
    outputs: Tensors | None = None,
    op: int = SUM,
    streams: Sequence[Any] | None = None,
    comms: Sequence[Any] | None = None,
) -> None:
    """Combine tensors of several devices, and give each device the result.

    Args:
        inputs: A contiguous CUDA tensor of each device, of one dtype and size.
        outputs: Tensors for the results; the inputs if None.
        op: 0 to 4 for the sum, product, maximum, minimum and mean.
        streams: The stream of each device; the current ones if None.
        comms: A communicator of each device, from `init_rank`.

    Raises:
        RuntimeError: If this build does not have NCCL, or the tensors do not fit.

    Example:
        >>> a, b = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")  # doctest: +SKIP
        >>> torch.cuda.nccl.all_reduce([a, b])  # doctest: +SKIP
        >>> b  # doctest: +SKIP
        tensor([2., 2.], device='cuda:1')
    """
    _require_build()
    _check_sequence_type(inputs)
    results = inputs if outputs is None else outputs
    _check_sequence_type(results)
    _C._nccl_all_reduce(inputs, results, op, streams, comms)


def reduce(
    inputs: Tensors,
    output: torch.Tensor | Tensors | None = None,
    root: int = 0,
    op: int = SUM,
    streams: Sequence[Any] | None = None,
    comms: Sequence[Any] | None = None,
    *,
    outputs: Tensors | None = None,
) -> None:
    """Combine tensors of several devices on one of them.

    Args:
        inputs: As for `all_reduce`.
        output: A tensor for the result on the root's device; the root's input if None.
        root: The number of the input whose device gets the result.
        op: As for `all_reduce`.
        streams: As for `all_reduce`.
        comms: As for `all_reduce`.
        outputs: Deprecated: a list of which only the root's tensor is used.

    Raises:
        ValueError: If both `output` and `outputs` are given.

    Example:
        >>> torch.cuda.nccl.reduce([a, b], root=1)  # doctest: +SKIP
    """
    _require_build()
    _check_sequence_type(inputs)
    if outputs is not None and output is not None:
        raise ValueError(
            "'output' and 'outputs' can not be both specified; 'outputs' is deprecated"
        )
    given = output if outputs is None else outputs
    if given is not None and not isinstance(given, torch.Tensor):
        warnings.warn(
            "nccl.reduce with an output tensor list is deprecated. "
            "Please specify a single output tensor with argument 'output' instead.",
            FutureWarning,
            stacklevel=2,
        )
        given = given[root]
    _C._nccl_reduce(inputs, inputs[root] if given is None else given, root, op, streams, comms)


def broadcast(
    inputs: Tensors,
    root: int = 0,
    streams: Sequence[Any] | None = None,
    comms: Sequence[Any] | None = None,
) -> None:
    """Copy the root's tensor to those of the other devices.

    Args:
        inputs: As for `all_reduce`.
        root: The number of the tensor that is copied.
        streams: As for `all_reduce`.
        comms: As for `all_reduce`.

    Example:
        >>> torch.cuda.nccl.broadcast([a, b])  # doctest: +SKIP
    """
    _require_build()
    _check_sequence_type(inputs)
    _C._nccl_broadcast(inputs, root, streams, comms)


def all_gather(
    inputs: Tensors,
    outputs: Tensors,
    streams: Sequence[Any] | None = None,
    comms: Sequence[Any] | None = None,
) -> None:
    """Join the tensors of several devices, and give each device the result.

    Args:
        inputs: As for `all_reduce`.
        outputs: Tensors with the elements of all inputs.
        streams: As for `all_reduce`.
        comms: As for `all_reduce`.

    Example:
        >>> torch.cuda.nccl.all_gather([a, b], [both_on_0, both_on_1])  # doctest: +SKIP
    """
    _require_build()
    _check_sequence_type(inputs)
    _check_sequence_type(outputs)
    _C._nccl_all_gather(inputs, outputs, streams, comms)


def reduce_scatter(
    inputs: Tensors,
    outputs: Tensors,
    op: int = SUM,
    streams: Sequence[Any] | None = None,
    comms: Sequence[Any] | None = None,
) -> None:
    """Combine tensors of several devices, and give each device a part of the result.

    Args:
        inputs: As for `all_reduce`.
        outputs: Tensors that have an equal part of an input's elements each.
        op: As for `all_reduce`.
        streams: As for `all_reduce`.
        comms: As for `all_reduce`.

    Example:
        >>> torch.cuda.nccl.reduce_scatter([a, b], [part_on_0, part_on_1])  # doctest: +SKIP
    """
    _require_build()
    _check_sequence_type(inputs)
    _check_sequence_type(outputs)
    _C._nccl_reduce_scatter(inputs, outputs, op, streams, comms)
