"""Data sets, samplers and loaders, whose batches, messages and random streams must match PyTorch."""

from __future__ import annotations

import sys
import warnings
from collections import OrderedDict, namedtuple
from pathlib import Path
from typing import Any

import numpy as np

import torch
from torch.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "nn"))
import both

TEN = list(range(10))
Point = namedtuple("Point", "x y")


class Count(IterableDataset):
    """An iterable over the integers below a bound."""

    def __init__(self, bound: int = 5) -> None:
        self.bound = bound

    def __iter__(self) -> Any:
        return iter(range(self.bound))

    def __repr__(self) -> str:
        return "Count"


class Measured(Count):
    """A data set that reports too small a length."""

    def __len__(self) -> int:
        return 2


class Bulk(Dataset):
    """A data set that returns several samples with one call."""

    def __getitems__(self, indices: list[int]) -> list[int]:
        return [-index for index in indices]

    def __len__(self) -> int:
        return 7


def seeded(make: Any, seed: int = 5) -> Any:
    """Return the batches of two passes, and one random number that shows the stream's position."""

    def case() -> Any:
        torch.manual_seed(seed)
        loader = make()
        return [list(loader), list(loader), torch.rand(2)]

    return case


def with_generator(make: Any) -> Any:
    """Like `seeded`, with an explicit generator."""

    def case() -> Any:
        generator = torch.Generator().manual_seed(11)
        source = make(generator)
        return [list(source), list(source), torch.rand(2, generator=generator)]

    return case


def warned(make: Any) -> Any:
    """Return the messages of the warnings of a call."""

    def case() -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make()
        return [(warning.category.__name__, str(warning.message)) for warning in caught]

    return case


def set_attribute(name: str) -> Any:
    """Return the effect of assigning an attribute of a loader."""
    return lambda: setattr(DataLoader(TEN), name, 1)


def rows() -> TensorDataset:
    """Ten rows of two tensors."""
    return TensorDataset(torch.arange(20.0).view(10, 2), torch.arange(10))


def counted() -> Any:
    """A loader whose data set is longer than it reports."""
    loader = DataLoader(Measured())
    return len(loader), list(loader)


LOADERS = {
    "sequential": seeded(lambda: DataLoader(TEN, batch_size=3)),
    "drop_last": seeded(lambda: DataLoader(TEN, batch_size=3, drop_last=True)),
    "shuffle": seeded(lambda: DataLoader(TEN, batch_size=4, shuffle=True)),
    "shuffle tensors": seeded(lambda: DataLoader(rows(), batch_size=4, shuffle=True)),
    "no batches": seeded(lambda: DataLoader(rows(), batch_size=None, shuffle=True)),
    "sampler": seeded(lambda: DataLoader(TEN, sampler=SubsetRandomSampler([5, 2, 8]))),
    "batch_sampler": seeded(lambda: DataLoader(TEN, batch_sampler=[[1, 2], [3]])),
    "iterable": seeded(lambda: DataLoader(Count(), batch_size=2)),
    "iterable drop_last": seeded(lambda: DataLoader(Count(), batch_size=2, drop_last=True)),
    "iterable no batches": seeded(lambda: DataLoader(Count(), batch_size=None)),
    "generator": with_generator(lambda g: DataLoader(TEN, 3, shuffle=True, generator=g)),
    "getitems": seeded(lambda: DataLoader(Bulk(), batch_size=3)),
    "getitems subset": seeded(lambda: DataLoader(Subset(Bulk(), [3, 1, 2]), batch_size=2)),
    "collate_fn": seeded(lambda: DataLoader(TEN, 3, collate_fn=lambda batch: sum(batch))),
    "lengths": lambda: [
        len(DataLoader(TEN, 3)),
        len(DataLoader(TEN, 3, drop_last=True)),
        len(DataLoader(TEN, None)),
        len(DataLoader(Measured(), 3)),
        len(DataLoader(Measured(), None)),
        len(iter(DataLoader(TEN, 4))),
    ],
    "kept": lambda: [
        sorted(key for key in vars(DataLoader(TEN)) if "multiprocessing" not in key),
        type(DataLoader(TEN).sampler).__name__,
        DataLoader(TEN, num_workers=1).prefetch_factor,
        DataLoader[int].__name__,
    ],
    "no worker": lambda: repr(get_worker_info()),
}

SAMPLERS = {
    "SequentialSampler": lambda: list(SequentialSampler(TEN)),
    "RandomSampler": with_generator(lambda g: RandomSampler(TEN, generator=g)),
    "RandomSampler fewer": with_generator(lambda g: RandomSampler(TEN, False, 4, g)),
    "RandomSampler more": with_generator(lambda g: RandomSampler(TEN, False, 25, g)),
    "RandomSampler replacement": with_generator(lambda g: RandomSampler(TEN, True, 70, g)),
    "RandomSampler whole": with_generator(lambda g: RandomSampler(TEN, True, 64, g)),
    "RandomSampler default": seeded(lambda: RandomSampler(TEN)),
    "SubsetRandomSampler": with_generator(lambda g: SubsetRandomSampler([4, 2, 9], g)),
    "WeightedRandomSampler": with_generator(
        lambda g: WeightedRandomSampler([0.1, 0.5, 0.4], 6, generator=g)
    ),
    "WeightedRandomSampler once": with_generator(
        lambda g: WeightedRandomSampler([0.1, 0.5, 0.4], 2, False, g)
    ),
    "BatchSampler": lambda: [
        list(BatchSampler(range(7), 3, False)),
        list(BatchSampler(range(7), 3, True)),
        len(BatchSampler(range(7), 3, False)),
        len(BatchSampler(range(7), 3, True)),
    ],
}

DATASETS = {
    "concat": lambda: [list(ConcatDataset([TEN[:3], TEN[5:]])), ConcatDataset([TEN])[-2]],
    "sum": lambda: [len(rows() + rows()), list(Count() + Count(2))],
    "chain": lambda: list(ChainDataset([Count(), Count(3)])),
    "stack": lambda: [StackDataset(TEN, TEN)[3], StackDataset(a=TEN, b=TEN)[2]],
    "stack items": lambda: StackDataset(a=TEN[:7], b=Bulk()).__getitems__([1, 2]),
    "subset": lambda: [Subset(TEN, [3, 4])[1], Subset(np.arange(5), [3, 4])[[0, 1]].tolist()],
    "split": lambda: [
        part.indices for part in random_split(TEN, [7, 3], torch.Generator().manual_seed(1))
    ],
    "split fractions": lambda: [
        part.indices
        for part in random_split(TEN, [0.33, 0.33, 0.34], torch.Generator().manual_seed(2))
    ],
    "split default": lambda: (
        torch.manual_seed(3),
        [part.indices for part in random_split(TEN, [5, 5])],
    )[1],
}

COLLATE = {
    "tensors": lambda: default_collate([torch.ones(2), torch.zeros(2)]),
    "floats": lambda: default_collate([1.5, 2]),
    "ints": lambda: default_collate([1, 2]),
    "bools": lambda: default_collate([True, False]),
    "text": lambda: default_collate(["a", "b"]),
    "bytes": lambda: default_collate([b"a"]),
    "mapping": lambda: default_collate([OrderedDict(a=1, b=[2, 3]), OrderedDict(a=4, b=[5, 6])]),
    "namedtuple": lambda: default_collate([Point(1, 2), Point(3, 4)]),
    "tuples": lambda: default_collate([(1, "a"), (2, "b")]),
    "range": lambda: default_collate([range(3), range(3)]),
    "arrays": lambda: default_collate([np.ones(2, "float32"), np.ones(2, "float32")]),
    "array scalars": lambda: default_collate([np.array(1), np.array(2)]),
    "numpy scalars": lambda: default_collate([np.float32(1), np.float32(2)]),
    "numpy bools": lambda: default_collate([np.bool_(True), np.bool_(False)]),
    "numpy text": lambda: default_collate([np.str_("a")]),
    "types kept": lambda: [
        type(default_collate(batch)).__name__
        for batch in ([OrderedDict(a=1)], [Point(1, 2)], [(1, 2)], [[1, 2]])
    ],
    "convert": lambda: default_convert([1, np.ones(2), "a", {"x": np.ones(1)}, (1, np.float32(2))]),
    "convert types": lambda: [
        type(default_convert(value)).__name__
        for value in ((1,), [1], Point(1, 2), np.array(["a"]), np.int64(3), OrderedDict(), range(2))
    ],
}

ERRORS = {
    "num_workers": lambda: DataLoader(TEN, num_workers=-1),
    "timeout": lambda: DataLoader(TEN, timeout=-1),
    "prefetch": lambda: DataLoader(TEN, prefetch_factor=2),
    "prefetch negative": lambda: DataLoader(TEN, num_workers=1, prefetch_factor=-1),
    "persistent": lambda: DataLoader(TEN, persistent_workers=True),
    "iterable shuffle": lambda: DataLoader(Count(), shuffle=True),
    "iterable sampler": lambda: DataLoader(Count(), sampler=[1]),
    "iterable batch_sampler": lambda: DataLoader(Count(), batch_sampler=[[1]]),
    "shuffle and sampler": lambda: DataLoader(TEN, shuffle=True, sampler=[1]),
    "batch_sampler and size": lambda: DataLoader(TEN, batch_size=2, batch_sampler=[[1]]),
    "batch_sampler and sampler": lambda: DataLoader(TEN, sampler=[1], batch_sampler=[[1]]),
    "drop_last of samples": lambda: DataLoader(TEN, batch_size=None, drop_last=True),
    "batch_size": lambda: DataLoader(TEN, batch_size=0),
    "drop_last": lambda: DataLoader(TEN, drop_last=3),
    "context": lambda: DataLoader(TEN, multiprocessing_context="fork"),
    "context name": lambda: DataLoader(TEN, num_workers=1, multiprocessing_context="forkk"),
    "context type": lambda: DataLoader(TEN, num_workers=1, multiprocessing_context=3),
    "subscript": lambda: DataLoader(TEN)[0],
    "length": lambda: len(DataLoader(Count())),
    "empty": lambda: DataLoader([], shuffle=True),
    "replacement": lambda: RandomSampler(TEN, replacement=1),
    "num_samples": lambda: RandomSampler(TEN, num_samples=-1),
    "num_samples type": lambda: RandomSampler(TEN, num_samples="a"),
    "weighted num_samples": lambda: WeightedRandomSampler([1, 2], 0),
    "weighted replacement": lambda: WeightedRandomSampler([1, 2], 2, replacement=3),
    "weights": lambda: WeightedRandomSampler([[1, 2]], 2),
    "batch sampler size": lambda: BatchSampler(range(3), True, False),
    "batch sampler drop_last": lambda: BatchSampler(range(3), 1, 0),
    "sampler argument": lambda: Sampler(None),
    "sampler iter": lambda: iter(Sampler()),
    "sampler len": lambda: len(Sampler()),
    "tensors": lambda: TensorDataset(torch.ones(2), torch.ones(3)),
    "stack empty": lambda: StackDataset(),
    "stack sizes": lambda: StackDataset([1], [1, 2]),
    "stack both": lambda: StackDataset([1], a=[1]),
    "concat empty": lambda: ConcatDataset([]),
    "concat iterable": lambda: ConcatDataset([Count()]),
    "concat index": lambda: ConcatDataset([[1, 2]])[-5],
    "concat past": lambda: ConcatDataset([[1, 2]])[5],
    "chain map": lambda: list(ChainDataset([[1]])),
    "chain len": lambda: len(ChainDataset([Count()])),
    "split sum": lambda: random_split(TEN, [3, 3]),
    "split fractions": lambda: random_split(TEN, [0.3, 0.3]),
    "split fraction": lambda: random_split(TEN, [1.5, -0.5]),
    "getitem": lambda: Dataset()[0],
    "sum of no length": lambda: Dataset() + Dataset(),
    "collate": lambda: default_collate([object()]),
    "collate None": lambda: default_collate([None]),
    "collate sizes": lambda: default_collate([[1, 2], [1]]),
    "collate shapes": lambda: default_collate([torch.ones(2), torch.ones(3)]),
    "collate keys": lambda: default_collate([{"a": 1}, {"b": 2}]),
    "collate text array": lambda: default_collate([np.array("a")]),
    **{f"set {name}": set_attribute(name) for name in ("batch_size", "dataset", "sampler")},
}

WARNINGS = {
    "workers": warned(lambda: DataLoader(TEN, num_workers=1000)),
    "pin_memory": warned(lambda: list(DataLoader(TEN, pin_memory=True))),
    "empty split": warned(lambda: random_split([1, 2], [0.9, 0.1])),
    "length": warned(counted),
}

GROUPS = {
    "loader": LOADERS,
    "sampler": SAMPLERS,
    "dataset": DATASETS,
    "collate": COLLATE,
    "error": ERRORS,
    "warning": WARNINGS,
}
CASES = {
    f"{group}: {name}": case for group, cases in GROUPS.items() for name, case in cases.items()
}

if __name__ == "__main__":
    both.record(CASES)
