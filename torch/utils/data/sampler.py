"""Samplers: the order in which the samples of a data set are read."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import torch

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)

# How many indices are drawn at a time when sampling with replacement.
_DRAWS_PER_CALL = 32


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class Sampler(Generic[T_co]):
    """Base class of iterables over indices, or over lists of indices (batches).

    Subclasses define `__iter__`; `__len__` is optional.

    Example:
        >>> from torch.utils.data import Sampler
        >>> class Backwards(Sampler):
        ...     def __init__(self, size):
        ...         self.size = size
        ...     def __iter__(self):
        ...         return reversed(range(self.size))
        >>> list(Backwards(3))
        [2, 1, 0]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices of a data set in order.

    Args:
        data_source: The data set, which must have a length.

    Example:
        >>> from torch.utils.data import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of a data set in random order.

    Args:
        data_source: The data set, which must have a length.
        replacement: Whether each index is drawn independently, so that it can repeat.
        num_samples: How many indices to draw; by default as many as the data set has. Without
            replacement, larger numbers draw several permutations.
        generator: The generator to draw from. By default each iteration uses a new one, seeded
            by one draw from the default generator.

    Raises:
        TypeError: If `replacement` is not a bool.
        ValueError: If `num_samples` is not a positive integer.

    Example:
        >>> from torch.utils.data import RandomSampler
        >>> sorted(RandomSampler("abc"))
        [0, 1, 2]
        >>> len(list(RandomSampler("abc", replacement=True, num_samples=5)))
        5
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        _check_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """The number of indices per iteration; the data set may grow between iterations."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = torch.Generator()
            generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_().item()))
        if self.replacement:
            yield from self._with_replacement(size, generator)
            return
        rounds, rest = divmod(self.num_samples, size)
        for _ in range(rounds):
            yield from torch.randperm(size, generator=generator).tolist()
        yield from torch.randperm(size, generator=generator).tolist()[:rest]

    def _with_replacement(self, size: int, generator: torch.Generator) -> Iterator[int]:
        rounds, rest = divmod(self.num_samples, _DRAWS_PER_CALL)
        for count in itertools.chain(itertools.repeat(_DRAWS_PER_CALL, rounds), (rest,)):
            drawn = torch.randint(high=size, size=(count,), dtype=torch.int64, generator=generator)
            yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order.

    Args:
        indices: The indices.
        generator: The generator of the permutation.

    Example:
        >>> from torch.utils.data import SubsetRandomSampler
        >>> sorted(SubsetRandomSampler([4, 1, 7]))
        [1, 4, 7]
    """

    def __init__(self, indices: Sequence[int], generator: torch.Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Random indices with probabilities proportional to weights.

    Args:
        weights: One weight for each index; they need not add up to 1.
        num_samples: How many indices to draw.
        replacement: Whether an index can repeat.
        generator: The generator to draw from.

    Raises:
        ValueError: If `weights` has more than one dimension, `num_samples` is not a positive
            integer, or `replacement` is not a bool.

    Example:
        >>> from torch.utils.data import WeightedRandomSampler
        >>> list(WeightedRandomSampler([0.0, 1.0, 0.0], num_samples=3))
        [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: torch.Generator | None = None,
    ) -> None:
        _check_positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        as_tensor = torch.as_tensor(weights, dtype=torch.double)
        if as_tensor.dim() != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(as_tensor.shape)}"
            )
        self.weights = as_tensor
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = torch.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Batches of the indices of another sampler.

    Args:
        sampler: The sampler, or any other iterable.
        batch_size: The length of each batch.
        drop_last: Whether to drop a last batch that is shorter.

    Raises:
        ValueError: If `batch_size` is not a positive integer, or `drop_last` is not a bool.

    Example:
        >>> from torch.utils.data import BatchSampler
        >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool
    ) -> None:
        _check_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        full, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return full + (rest > 0 and not self.drop_last)
