"""Pipes that order, group and divide the items of one other pipe."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sized
from typing import Any

from torch.utils.data.datapipes.datapipe import (
    DataChunk,
    IterDataPipe,
    RandomOrder,
    check_function,
    functional_datapipe,
    length_of,
)
from torch.utils.data.sampler import SequentialSampler


@functional_datapipe("shuffle")
class Shuffler(RandomOrder, IterDataPipe):
    """Items in random order, drawn from a buffer that is filled again.

    Args:
        datapipe: The source.
        buffer_size: The size of the buffer.
        unbatch_level: How many levels of lists to open first.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> sorted(IterableWrapper(range(4)).shuffle().set_seed(0))
        [0, 1, 2, 3]
    """

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe.unbatch(unbatch_level=unbatch_level) if unbatch_level else datapipe
        self.buffer_size = buffer_size

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            yield from self.datapipe
            return
        generator = self._next_generator()
        buffer: list[Any] = []
        for item in self.datapipe:
            if len(buffer) < self.buffer_size:
                buffer.append(item)
                continue
            index = generator.randint(0, len(buffer) - 1)
            value, buffer[index] = buffer[index], item
            yield value
        while buffer:
            yield buffer.pop(generator.randint(0, len(buffer) - 1))

    def __len__(self) -> int:
        return length_of(self.datapipe, self)


@functional_datapipe("groupby")
class Grouper(IterDataPipe):
    """Lists of items with the same key.

    Args:
        datapipe: The source.
        group_key_fn: A function that returns an item's key.
        keep_key: Whether the results are pairs of a key and a list.
        buffer_size: The most items that wait for others with their key.
        group_size: The size at which a list is complete; None if only the end completes it.
        guaranteed_group_size: The smallest list that may leave a full buffer.
        drop_remaining: Whether a full buffer drops lists that are too short, which is an error else.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper("aBAb").groupby(str.lower))
        [['a', 'A'], ['B', 'b']]
    """

    def __init__(
        self,
        datapipe: Any,
        group_key_fn: Callable[[Any], Any],
        *,
        keep_key: bool = False,
        buffer_size: int = 10000,
        group_size: int | None = None,
        guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ) -> None:
        guaranteed = group_size if guaranteed_group_size is None else guaranteed_group_size
        check_function(group_key_fn)
        if group_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        if guaranteed is not None and (group_size is None or not 0 < guaranteed <= group_size):
            raise AssertionError(
                "guaranteed_group_size must be > 0 and <= group_size and group_size must be set"
            )
        self.datapipe, self.group_key_fn = datapipe, group_key_fn
        self.keep_key, self.buffer_size = keep_key, buffer_size
        self.group_size, self.drop_remaining = group_size, drop_remaining
        self.guaranteed = guaranteed

    def _result(self, key: Any, items: list[Any]) -> Any:
        chunk = DataChunk(items)
        return (key, chunk) if self.keep_key else chunk

    def __iter__(self) -> Iterator[Any]:
        groups: dict[Any, list[Any]] = {}
        waiting = 0
        for item in self.datapipe:
            key = self.group_key_fn(item)
            groups.setdefault(key, []).append(item)
            waiting += 1
            if self.group_size is not None and len(groups[key]) == self.group_size:
                waiting -= self.group_size
                yield self._result(key, groups.pop(key))
            if waiting == self.buffer_size:
                largest = max(groups, key=lambda each: len(groups[each]))
                items = groups.pop(largest)
                waiting -= len(items)
                if self.guaranteed is not None and len(items) < self.guaranteed:
                    if self.drop_remaining:
                        continue
                    raise RuntimeError(f"Failed to group items: the buffer is full at {largest}")
                yield self._result(largest, items)
        for key, items in groups.items():
            yield self._result(key, items)


class SHARDING_PRIORITIES(enum.IntEnum):
    """The groups among which items are divided: machines first, then the workers of each."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


@functional_datapipe("sharding_filter")
class ShardingFilter(IterDataPipe):
    """Every n-th item, for n workers; DataLoader's workers call `apply_sharding`.

    Args:
        source_datapipe: The source.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> pipe = IterableWrapper(range(5)).sharding_filter()
        >>> pipe.apply_sharding(2, 1)
        >>> list(pipe)
        [1, 3]
    """

    def __init__(self, source_datapipe: Any, sharding_group_filter: Any = None) -> None:
        self.source_datapipe = source_datapipe
        self.sharding_group_filter = sharding_group_filter
        self.groups: dict[Any, tuple[int, int]] = {}
        self.num_of_instances, self.instance_id = 1, 0

    def is_shardable(self) -> bool:
        """Return True."""
        return True

    def apply_sharding(
        self,
        num_of_instances: int,
        instance_id: int,
        sharding_group: Any = SHARDING_PRIORITIES.DEFAULT,
    ) -> None:
        """Set the number of workers of a group, and which one this is.

        Raises:
            RuntimeError: If the default group and another one are set.
        """
        if not 0 <= instance_id < num_of_instances:
            raise ValueError(
                f"instance_id({instance_id}) should be smaller than num_of_instances"
                f"({num_of_instances})"
            )
        default = SHARDING_PRIORITIES.DEFAULT
        if any((group == default) != (sharding_group == default) for group in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = (num_of_instances, instance_id)
        self.num_of_instances, self.instance_id = 1, 0
        for group in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, group):
                count, index = self.groups[group]
                self.instance_id += self.num_of_instances * index
                self.num_of_instances *= count

    def __iter__(self) -> Iterator[Any]:
        for index, item in enumerate(self.source_datapipe):
            if index % self.num_of_instances == self.instance_id:
                yield item

    def __len__(self) -> int:
        count = length_of(self.source_datapipe, self)
        return (count - self.instance_id + self.num_of_instances - 1) // self.num_of_instances


class Sampler(IterDataPipe):
    """The indices that a sampler draws from a pipe.

    Args:
        datapipe: The source, which has a length.
        sampler: The class of the sampler.
        sampler_args: Further arguments of the class.
        sampler_kwargs: Its keyword arguments.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper, Sampler
        >>> list(Sampler(IterableWrapper("abc")))
        [0, 1, 2]
    """

    def __init__(
        self,
        datapipe: Any,
        sampler: Any = SequentialSampler,
        sampler_args: tuple[Any, ...] | None = None,
        sampler_kwargs: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(datapipe, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        options = {"data_source": datapipe, **(sampler_kwargs or {})}
        self.sampler = sampler(*(sampler_args or ()), **options)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return length_of(self.sampler, self)
