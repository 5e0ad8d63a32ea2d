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


def sources_of(pipe: Any) -> Iterator[Any]:
    """Yield the pipes that a pipe reads from, in the order of its attributes."""
    waiting = list(vars(pipe).values())
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, _KINDS):
            yield value
        elif isinstance(value, (list, tuple, set)):
            waiting[:0] = value
        elif isinstance(value, dict):
            waiting[:0] = value.values()
        elif isinstance(getattr(value, "source", None), _KINDS):  # a pipe that others share
            yield value.source


def pipes_in(pipe: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield a pipe, then its sources, each followed by its own, and each only once."""
    seen = set() if seen is None else seen
    if id(pipe) not in seen:
        seen.add(id(pipe))
        yield pipe
        for source in sources_of(pipe):
            yield from pipes_in(source, seen)


def has_method(pipe: Any, name: str) -> bool:
    """Return whether a pipe has a method, not counting those that chain pipes."""
    return inspect.ismethod(getattr(pipe, name, None))


def set_shuffle(dataset: Any, shuffle: bool) -> None:
    """Switch all random orders in a pipe on or off."""
    for pipe in pipes_in(dataset):
        if has_method(pipe, "set_shuffle"):
            pipe.set_shuffle(shuffle)


def set_seeds(dataset: Any, generator: torch.Generator) -> None:
    """Draw a seed for each random order in a pipe."""
    for pipe in pipes_in(dataset):
        if has_method(pipe, "set_seed"):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=generator)))


def start_pass(dataset: Any, seed: int, workers: int = 1, worker: int = 0) -> None:
    """Seed all random orders in a pipe, the same in all workers, and set a worker's part."""
    set_seeds(dataset, torch.Generator().manual_seed(seed))
    if workers > 1:
        for pipe in pipes_in(dataset):
            if has_method(pipe, "apply_sharding"):
                pipe.apply_sharding(workers, worker)
