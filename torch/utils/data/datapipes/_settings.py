"""What a DataLoader sets in the pipes of its data set: order, seeds, and the part of each worker."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

_KINDS = (IterDataPipe, MapDataPipe)


def is_pipe(dataset: Any) -> bool:
    """Return whether a data set is a pipe that is iterated over."""
    return isinstance(dataset, IterDataPipe)


def pipes_in(value: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield a pipe's sources, sources of these, and so on, and the pipe itself."""
    seen = set() if seen is None else seen
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from pipes_in(item, seen)
    elif isinstance(value, _KINDS):
        if id(value) in seen:
            return
        seen.add(id(value))
        for item in vars(value).values():
            yield from pipes_in(item, seen)
            inner = getattr(item, "source", None)  # of a pipe that others share
            if inner is not None and not isinstance(item, _KINDS):
                yield from pipes_in(inner, seen)
        yield value


def set_shuffle(dataset: Any, shuffle: bool) -> None:
    """Switch all random orders in a pipe on or off."""
    for pipe in pipes_in(dataset):
        if inspect.ismethod(getattr(pipe, "set_shuffle", None)):
            pipe.set_shuffle(shuffle)


def start_pass(dataset: Any, seed: int, workers: int = 1, worker: int = 0) -> None:
    """Seed all random orders in a pipe, the same in all workers, and set a worker's part."""
    generator = torch.Generator().manual_seed(seed)
    for pipe in pipes_in(dataset):
        if inspect.ismethod(getattr(pipe, "set_seed", None)):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=generator)))
        if workers > 1 and inspect.ismethod(getattr(pipe, "apply_sharding", None)):
            pipe.apply_sharding(workers, worker)
