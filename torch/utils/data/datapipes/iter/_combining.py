"""Pipes that join several others, and those that split one."""

from __future__ import annotations

import copy
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data.datapipes._iteration import invalidated_child
from torch.utils.data.datapipes.datapipe import (
    IterDataPipe,
    check_function,
    functional_datapipe,
    length_of,
)


class _Combined(IterDataPipe):
    """A pipe of several others."""

    _wrong_input: str | None = None

    def __init__(self, *datapipes: Any) -> None:
        if self._wrong_input and not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError(self._wrong_input)
        self.datapipes = datapipes


@functional_datapipe("concat")
class Concater(_Combined):
    """The items of several pipes, one pipe after the other.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper("ab").concat(IterableWrapper("c")))
        ['a', 'b', 'c']
    """

    _wrong_input = "Expected all inputs to be `IterDataPipe`"

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        super().__init__(*datapipes)

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

    _wrong_input = "All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`."

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


class _Splitter(IterDataPipe):
    """Hands the items of one pipe to several, with a buffer for those that are behind."""

    name: str
    method: str

    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int) -> None:
        self.main_datapipe, self.num_instances = datapipe, num_instances
        self.buffer_size = buffer_size
        self._forget()
        if buffer_size < 0:
            warnings.warn(
                f"Unlimited buffer size is set for `{self.method}`, please be aware of OOM at random "
                "places",
                stacklevel=4,
            )

    def _forget(self) -> None:
        self.items: Iterator[Any] | None = None
        self.buffers: list[deque[Any]] = [deque() for _ in range(self.num_instances)]
        self.started: set[int] = set()
        self.ended: set[int] = set()
        self.round = 0

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if isinstance(state, dict):
            state = {name: value for name, value in state.items() if name not in _POSITION}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._forget()

    def places(self, item: Any) -> Iterator[tuple[int, Any]]:
        """Yield the pipes that an item goes to, with what they get."""
        raise NotImplementedError

    def begin(self, index: int) -> Iterator[Any]:
        """Return the items of one pipe; all begin again if this one has begun before."""
        if self.items is None or index in self.started:
            if self.items is not None and len(self.ended) < self.num_instances:
                warnings.warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are "
                    "resetting the buffer and each child DataPipe will read from the start again.",
                    stacklevel=4,
                )
            current = self.round + 1
            self._forget()
            self.items, self.round = iter(self.main_datapipe), current
        self.started.add(index)
        return self._read(index, self.round)

    def _read(self, index: int, current: int) -> Iterator[Any]:
        while True:
            if current != self.round or self.items is None:
                raise RuntimeError(invalidated_child(self))
            buffer = self.buffers[index]
            if buffer:
                yield buffer.popleft()
                continue
            try:
                item = next(self.items)
            except StopIteration:
                self.ended.add(index)
                return
            for place, value in self.places(item):
                self.buffers[place].append(value)
                # The next item of the pipe that asks waits for nobody.
                waiting = len(self.buffers[place]) - (place == index)
                if 0 <= self.buffer_size < waiting:
                    raise BufferError(
                        f"{self.name} buffer overflow, buffer size {self.buffer_size} is "
                        "insufficient."
                    )


_POSITION = ("items", "buffers", "started", "ended", "round")


class _ChildDataPipe(IterDataPipe):
    """One of the pipes that another is split into."""

    def __init__(self, main_datapipe: _Splitter, instance_id: int) -> None:
        self.main_datapipe, self.instance_id = main_datapipe, instance_id

    def __iter__(self) -> Iterator[Any]:
        return self.main_datapipe.begin(self.instance_id)

    def __len__(self) -> int:
        return len(self.main_datapipe)


class _ForkerIterDataPipe(_Splitter):
    name, method = "ForkerIterDataPipe", "fork"

    def __init__(
        self, datapipe: Any, num_instances: int, buffer_size: int, copy: str | None
    ) -> None:
        super().__init__(datapipe, num_instances, buffer_size)
        self.copy = copy

    def places(self, item: Any) -> Iterator[tuple[int, Any]]:
        duplicate = _COPIES[self.copy]
        for index in range(self.num_instances):
            yield index, duplicate(item)

    def __len__(self) -> int:
        return length_of(self.main_datapipe, self)


class _DemultiplexerIterDataPipe(_Splitter):
    name, method = "DemultiplexerIterDataPipe", "demux"

    def __init__(
        self,
        datapipe: Any,
        num_instances: int,
        classifier_fn: Any,
        drop_none: bool,
        buffer_size: int,
    ) -> None:
        super().__init__(datapipe, num_instances, buffer_size)
        self.classifier_fn, self.drop_none = classifier_fn, drop_none

    def places(self, item: Any) -> Iterator[tuple[int, Any]]:
        place = self.classifier_fn(item)
        if place is None and self.drop_none:
            return
        if place is None or not 0 <= place < self.num_instances:
            raise ValueError(
                "Output of the classification fn should be between 0 and "
                f"{self.num_instances - 1}. {place} is returned."
            )
        yield place, item

    def __len__(self) -> int:
        raise TypeError(f"{type(self).__name__} instance doesn't have valid length")


_COPIES: dict[Any, Callable[[Any], Any]] = {
    None: lambda item: item,
    "shallow": copy.copy,
    "deep": copy.deepcopy,
}


def _check_count(num_instances: int) -> None:
    if num_instances < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")


@functional_datapipe("fork")
class Forker(IterDataPipe):
    """Several pipes with the items of one; the class returns a list of pipes, or the one for one instance.

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
        _check_count(num_instances)
        if num_instances == 1 and copy is None:
            return datapipe
        if copy not in _COPIES:
            raise ValueError(
                f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`."
            )
        splitter = _ForkerIterDataPipe(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(splitter, index) for index in range(num_instances)]


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
        _check_count(num_instances)
        check_function(classifier_fn)
        splitter = _DemultiplexerIterDataPipe(
            datapipe, num_instances, classifier_fn, drop_none, buffer_size
        )
        return [_ChildDataPipe(splitter, index) for index in range(num_instances)]
