"""Pipes that join several others, and those that split one."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data.datapipes.datapipe import IterDataPipe, functional_datapipe, length_of


class _Combined(IterDataPipe):
    """A pipe of several others."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError(f"Expected all inputs to be `IterDataPipe` for {type(self).__name__}")
        self.datapipes = datapipes


@functional_datapipe("concat")
class Concater(_Combined):
    """The items of several pipes, one pipe after the other.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper("ab").concat(IterableWrapper("c")))
        ['a', 'b', 'c']
    """

    def __iter__(self) -> Iterator[Any]:
        for each in self.datapipes:
            yield from each

    def __len__(self) -> int:
        return sum(length_of(each, self) for each in self.datapipes)


@functional_datapipe("zip")
class Zipper(_Combined):
    """Tuples with an item of each pipe, until the shortest ends.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper("ab").zip(IterableWrapper(range(5))))
        [('a', 0), ('b', 1)]
    """

    def __iter__(self) -> Iterator[Any]:
        yield from zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(length_of(each, self) for each in self.datapipes)


@functional_datapipe("mux")
class Multiplexer(_Combined):
    """An item of each pipe in turn, until the shortest ends.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper("abc").mux(IterableWrapper("xy")))
        ['a', 'x', 'b', 'y']
    """

    def __iter__(self) -> Iterator[Any]:
        for items in zip(*self.datapipes, strict=False):
            yield from items

    def __len__(self) -> int:
        return min(length_of(each, self) for each in self.datapipes) * len(self.datapipes)


class _Splitter:
    """Hands the items of one pipe to several, with a buffer for those that are behind."""

    def __init__(self, source: Any, count: int, buffer_size: int) -> None:
        if count < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {count} is found")
        if buffer_size == 0:
            raise ValueError("`buffer_size` must not be 0; -1 means without limit")
        self.source, self.count, self.buffer_size = source, count, buffer_size
        self.items: Iterator[Any] | None = None
        self.buffers: list[deque[Any]] = [deque() for _ in range(count)]
        self.round = 0

    def restart(self) -> int:
        """Begin again at the source's first item; iterators of earlier rounds become invalid."""
        self.items = iter(self.source)
        for buffer in self.buffers:
            buffer.clear()
        self.round += 1
        return self.round

    def places(self, item: Any) -> Iterator[tuple[int, Any]]:
        """Yield the pipes that an item goes to, with what they get."""
        raise NotImplementedError

    def read(self, index: int) -> Iterator[Any]:
        """Yield the items of one pipe."""
        if self.items is None or getattr(self, "started", set()) & {index}:
            self.started: set[int] = set()
            self.restart()
        self.started = {*getattr(self, "started", ()), index}
        current = self.round
        buffer = self.buffers[index]
        while True:
            if current != self.round:
                raise RuntimeError("This child DataPipe was reset by a new iteration of a sibling")
            if buffer:
                yield buffer.popleft()
                continue
            if self.items is None:
                return
            try:
                item = next(self.items)
            except StopIteration:
                return
            for place, value in self.places(item):
                self.buffers[place].append(value)
                if 0 < self.buffer_size < len(self.buffers[place]):
                    raise BufferError(
                        f"one child has read {self.buffer_size} items more than another; raise "
                        "`buffer_size`, or set it to -1"
                    )


class _Child(IterDataPipe):
    """One of the pipes that another is split into."""

    def __init__(self, splitter: _Splitter, index: int, length: Any) -> None:
        self.splitter, self.index, self.length = splitter, index, length

    def __iter__(self) -> Iterator[Any]:
        return self.splitter.read(self.index)

    def __len__(self) -> int:
        return length_of(self.length, self)


class _Fork(_Splitter):
    def __init__(self, source: Any, count: int, buffer_size: int, duplicate: Any) -> None:
        super().__init__(source, count, buffer_size)
        self.duplicate = duplicate

    def places(self, item: Any) -> Iterator[tuple[int, Any]]:
        for index in range(self.count):
            yield index, self.duplicate(item)


class _Demux(_Splitter):
    def __init__(
        self, source: Any, count: int, buffer_size: int, classify: Any, drop_none: bool
    ) -> None:
        super().__init__(source, count, buffer_size)
        self.classify, self.drop_none = classify, drop_none

    def places(self, item: Any) -> Iterator[tuple[int, Any]]:
        place = self.classify(item)
        if place is None and self.drop_none:
            return
        if place is None or not 0 <= place < self.count:
            raise ValueError(
                f"Output of the classification fn should be between 0 and {self.count - 1}. "
                f"{place} is returned."
            )
        yield place, item


_COPIES: dict[Any, Callable[[Any], Any]] = {
    None: lambda item: item,
    "shallow": copy.copy,
    "deep": copy.deepcopy,
}


@functional_datapipe("fork")
class Forker(IterDataPipe):
    """Several pipes with the items of one; the class returns a list of pipes.

    Args:
        datapipe: The source.
        num_instances: The number of pipes.
        buffer_size: How many items one pipe may be ahead of another; -1 for no limit.
        copy: None, "shallow" or "deep": how items are copied for each pipe.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> first, second = IterableWrapper(range(3)).fork(2)
        >>> list(first), list(second)
        ([0, 1, 2], [0, 1, 2])
    """

    def __new__(
        cls, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: str | None = None
    ) -> Any:
        if copy not in _COPIES:
            raise ValueError(f"Unknown copy method `{copy}`; expected None, 'shallow' or 'deep'")
        splitter = _Fork(datapipe, num_instances, buffer_size, _COPIES[copy])
        return [_Child(splitter, index, datapipe) for index in range(num_instances)]


@functional_datapipe("demux")
class Demultiplexer(IterDataPipe):
    """Several pipes, among which a function divides the items; the class returns a list of pipes.

    Args:
        datapipe: The source.
        num_instances: The number of pipes.
        classifier_fn: A function that returns the index of an item's pipe.
        drop_none: Whether to drop items for which it returns None.
        buffer_size: How many items may wait for a pipe; -1 for no limit.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> even, odd = IterableWrapper(range(5)).demux(2, lambda x: x % 2)
        >>> list(even), list(odd)
        ([0, 2, 4], [1, 3])
    """

    def __new__(
        cls,
        datapipe: Any,
        num_instances: int,
        classifier_fn: Callable[[Any], int | None],
        drop_none: bool = False,
        buffer_size: int = 1000,
    ) -> Any:
        splitter = _Demux(datapipe, num_instances, buffer_size, classifier_fn, drop_none)
        return [_Child(splitter, index, None) for index in range(num_instances)]
