"""Loaders with worker processes, whose batches, seeds and exceptions must match PyTorch."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

sys.path.insert(0, str(Path(__file__).parents[1] / "nn"))
import both


class TwoArguments(Exception):
    """An exception that cannot be constructed from a message alone."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


class Raises(Dataset):
    """A data set that raises the exception at one index."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        if index == 3:
            raise self.error
        return index


class RandomNumbers(Raises):
    """A data set of random numbers from a worker's generators."""

    def __getitem__(self, index: int) -> list[Any]:
        info = get_worker_info()
        drawn = [torch.rand(1), random.random(), np.random.rand()]
        return [info.id, info.num_workers, info.seed, torch.get_num_threads(), *drawn]


class WorkerInfo(Raises):
    """A data set that returns the worker's info and shows that it is read-only."""

    def __getitem__(self, index: int) -> list[Any]:
        info = get_worker_info()
        shown = repr(info).split(", dataset=")[0]
        return [shown, both.outcome(lambda: setattr(info, "id", 3)), info.dataset is self]


class Share(IterableDataset):
    """An iterable with separate numbers for each worker; later workers have more."""

    def __iter__(self) -> Any:
        start = 10 * get_worker_info().id
        return iter(range(start, start + 3 + start // 5))


def batches(make: Any) -> Any:
    """Return the batches of two seeded passes, and a random number after them."""

    def case() -> Any:
        torch.manual_seed(4)
        loader = make()
        return [list(loader), list(loader), torch.rand(1)]

    return case


def caught(error: Exception, **options: Any) -> Any:
    """Return the batches before an exception, its type, and its message without the traceback."""

    def case() -> Any:
        given: list[Any] = []
        iterator = iter(DataLoader(Raises(error), num_workers=2, **options))
        try:
            given.extend(iterator)
        except Exception as raised:
            lines = str(raised).splitlines()
            given += [type(raised).__name__, lines[0], lines[1], lines[-1].split(".")[-1]]
            given.append(next(iterator))
        return given

    return case


def rows() -> TensorDataset:
    """Eleven rows of two tensors."""
    return TensorDataset(torch.arange(22.0).view(11, 2), torch.arange(11))


CASES = {
    "order": batches(lambda: DataLoader(rows(), 3, num_workers=2)),
    "shuffle": batches(lambda: DataLoader(rows(), 3, shuffle=True, num_workers=2)),
    "prefetch": batches(lambda: DataLoader(rows(), 2, num_workers=2, prefetch_factor=1)),
    "samples": batches(lambda: DataLoader(rows(), None, num_workers=2)),
    "persistent": batches(
        lambda: DataLoader(rows(), 2, shuffle=True, num_workers=2, persistent_workers=True)
    ),
    "seeds": batches(lambda: DataLoader(RandomNumbers(ValueError()), None, num_workers=2)),
    "seeds of a generator": lambda: list(
        DataLoader(
            RandomNumbers(ValueError()),
            2,
            num_workers=2,
            generator=torch.Generator().manual_seed(9),
        )
    ),
    "persistent seeds": batches(
        lambda: DataLoader(RandomNumbers(ValueError()), 2, num_workers=2, persistent_workers=True)
    ),
    "worker info": batches(lambda: DataLoader(WorkerInfo(ValueError()), None, num_workers=2)),
    "iterable": batches(lambda: DataLoader(Share(), 2, num_workers=2)),
    "iterable drop_last": batches(lambda: DataLoader(Share(), 2, num_workers=2, drop_last=True)),
    "iterable persistent": batches(
        lambda: DataLoader(Share(), 2, num_workers=2, persistent_workers=True)
    ),
    "ValueError": caught(ValueError("a reason")),
    "TwoArguments": caught(TwoArguments(1, 2)),
    "StopIteration": caught(StopIteration("a reason")),
    "KeyError": lambda: str(caught(KeyError("a key"))()[3:]).splitlines()[0],
}

if __name__ == "__main__":
    both.record(CASES)
