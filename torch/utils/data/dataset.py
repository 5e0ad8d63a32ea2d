"""Data sets: samples by index (Dataset) or by iteration (IterableDataset), and combinations."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import torch

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Base class of data sets whose samples are read by index.

    Subclasses define `__getitem__`. They can define `__len__`, which the default samplers need,
    and `__getitems__`, which takes a list of indices and returns a list of samples.

    Example:
        >>> from torch.utils.data import Dataset
        >>> class Squares(Dataset):
        ...     def __getitem__(self, index):
        ...         return index**2
        ...     def __len__(self):
        ...         return 10
        >>> Squares()[3]
        9
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Base class of data sets whose samples are read in order, such as streams.

    Subclasses define `__iter__`. Each worker process of a DataLoader iterates over a copy of its
    own, so `__iter__` must use `get_worker_info` to divide the samples among the workers.

    Example:
        >>> from torch.utils.data import DataLoader, IterableDataset
        >>> class Counter(IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(3))
        >>> list(DataLoader(Counter(), batch_size=2))
        [tensor([0, 1]), tensor([2])]
    """

    def __add__(self, other: Dataset[T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[torch.Tensor, ...]]):
    """The rows of tensors: sample i is the tuple of row i of each tensor.

    Args:
        *tensors: Tensors with the same first size.

    Raises:
        AssertionError: If the first sizes differ.

    Example:
        >>> from torch.utils.data import TensorDataset
        >>> dataset = TensorDataset(torch.arange(6).reshape(3, 2), torch.tensor([7, 8, 9]))
        >>> dataset[1]
        (tensor([2, 3]), tensor(8))
    """

    def __init__(self, *tensors: torch.Tensor) -> None:
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[torch.Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Several data sets of the same length, combined sample by sample.

    Args:
        *args: Data sets; samples are then tuples.
        **kwargs: Named data sets instead; samples are then dictionaries.

    Raises:
        ValueError: If there are no data sets, their lengths differ, or only some have names.

    Example:
        >>> from torch.utils.data import StackDataset
        >>> StackDataset(image=["a", "b"], label=[0, 1])[1]
        {'image': 'b', 'label': 1}
    """

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        self.datasets: Any = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        parts = self._parts()
        self._length = len(parts[0])  # type: ignore[arg-type]
        if any(len(part) != self._length for part in parts):  # type: ignore[arg-type]
            raise ValueError("Size mismatch between datasets")

    def _parts(self) -> list[Dataset[Any]]:
        is_named = isinstance(self.datasets, dict)
        return list(self.datasets.values() if is_named else self.datasets)

    def _sample(self, items: Iterable[Any]) -> Any:
        if isinstance(self.datasets, dict):
            return dict(zip(self.datasets, items, strict=True))
        return tuple(items)

    def __getitem__(self, index: Any) -> Any:
        return self._sample(part[index] for part in self._parts())

    def __getitems__(self, indices: list[int]) -> list[Any]:
        columns = [_items(part, indices) for part in self._parts()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(
                    "Nested dataset's output size mismatch. "
                    f"Expected {len(indices)}, got {len(column)}"
                )
        return [self._sample(row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """The concatenation of data sets.

    Args:
        datasets: The data sets, which must have a length.

    Raises:
        AssertionError: If there are none, or one is an IterableDataset.

    Example:
        >>> from torch.utils.data import ConcatDataset
        >>> dataset = ConcatDataset([["a", "b"], ["c"]])
        >>> len(dataset), dataset[2]
        (3, 'c')
    """

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Return the cumulative lengths of data sets."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T_co:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][index - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """Deprecated. The same as `cumulative_sizes`."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`",
            FutureWarning,
            stacklevel=2,
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """The concatenation of iterable data sets.

    Args:
        datasets: The data sets, which may come from a generator.

    Raises:
        AssertionError: During iteration, at a data set that is not an IterableDataset.

    Example:
        >>> from torch.utils.data import ChainDataset, IterableDataset
        >>> class Counter(IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(2))
        >>> list(ChainDataset([Counter(), Counter()]))
        [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[IterableDataset[Any]]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._checked())  # type: ignore[arg-type]


class Subset(Dataset[T_co]):
    """The samples of a data set at the given indices.

    Args:
        dataset: The data set.
        indices: The indices, in the order of the subset's samples.

    Example:
        >>> from torch.utils.data import Subset
        >>> list(Subset(["a", "b", "c"], [2, 0]))
        ['c', 'a']
    """

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[position] for position in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        return _items(self.dataset, [self.indices[position] for position in indices])

    def __len__(self) -> int:
        return len(self.indices)


def _items(dataset: Any, indices: list[int]) -> list[Any]:
    """Read the samples at several indices, in one call if the data set has `__getitems__`."""
    if callable(getattr(dataset, "__getitems__", None)):
        return dataset.__getitems__(indices)
    return [dataset[index] for index in indices]


def random_split(
    dataset: Dataset[T],
    lengths: Sequence[int | float],
    generator: torch.Generator | None = torch.default_generator,
) -> list[Subset[T]]:
    """Randomly split a data set into disjoint subsets.

    Args:
        dataset: A data set with a length.
        lengths: The length of each subset, or fractions that add up to 1. Fractions are rounded
            down, and the samples left over go to the first subsets, one each.
        generator: The generator of the permutation.

    Raises:
        ValueError: If the lengths do not add up to the length of the data set, or a fraction is
            outside [0, 1].

    Example:
        >>> from torch.utils.data import random_split
        >>> train, test = random_split(range(10), [0.8, 0.2])
        >>> len(train), len(test), sorted([*train, *test]) == list(range(10))
        (8, 2, True)
    """
    size = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of_fractions(size, lengths)
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = torch.randperm(size, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [
        Subset(dataset, indices[int(end - length) : int(end)])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _lengths_of_fractions(size: int, fractions: Sequence[float]) -> list[int]:
    """Round fractions of a size down; give the first subsets one leftover sample each."""
    for position, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for position in range(size - sum(lengths)):
        lengths[position % len(lengths)] += 1
    for position, length in enumerate(lengths):
        if length == 0:
            warnings.warn(
                f"Length of split at index {position} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return lengths
