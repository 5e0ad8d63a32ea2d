"""Pipes with keys."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from torch._lazy_attributes import import_at_use as _import_at_use
from torch._moved_modules import publish_pipes as _publish_pipes
from torch.utils.data.datapipes.datapipe import (
    DataChunk,
    IterDataPipe,
    MapDataPipe,
    RandomOrder,
    check_function,
    functional_datapipe,
)

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]


class SequenceWrapper(MapDataPipe):
    """The items of a sequence or a mapping.

    Args:
        sequence: The sequence or mapping.
        deepcopy: Whether to copy it, so that changes do not reach the original.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper({"a": 1})["a"]
        1
    """

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = sequence
        if deepcopy:
            try:
                self.sequence = copy.deepcopy(sequence)
            except TypeError:  # such as generators
                warnings.warn(
                    "The input sequence can not be deepcopied, please be aware of in-place "
                    "modification would affect source data",
                    stacklevel=2,
                )

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


def default_fn(data: Any) -> Any:
    """Return the argument."""
    return data


@functional_datapipe("map")
class Mapper(MapDataPipe):
    """The results of a function.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2]).map(lambda x: 10 * x)[1]
        20
    """

    def __init__(self, datapipe: Any, fn: Callable[[Any], Any] = default_fn) -> None:
        check_function(fn)
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("batch")
class Batcher(MapDataPipe):
    """Lists of items with consecutive indices.

    Args:
        datapipe: The source.
        batch_size: The number of items in a list.
        drop_last: Whether to drop a last, shorter list.
        wrapper_class: The class of the lists.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> list(SequenceWrapper(range(5)).batch(2))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        datapipe: Any,
        batch_size: int,
        drop_last: bool = False,
        wrapper_class: Any = DataChunk,
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size = datapipe, batch_size
        self.drop_last, self.wrapper_class = drop_last, wrapper_class

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} is out of bound.")
        start = index * self.batch_size
        stop = min(start + self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[i] for i in range(start, stop)])

    def __len__(self) -> int:
        count = len(self.datapipe)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class _Combined(MapDataPipe):
    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, MapDataPipe) for each in datapipes):
            raise TypeError("Expected all inputs to be `MapDataPipe`")
        self.datapipes = datapipes


@functional_datapipe("concat")
class Concater(_Combined):
    """The items of several pipes, numbered through.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> list(SequenceWrapper("ab").concat(SequenceWrapper("c")))
        ['a', 'b', 'c']
    """

    def __getitem__(self, index: int) -> Any:
        offset = 0
        for each in self.datapipes:
            if index - offset < len(each):
                return each[index - offset]
            offset += len(each)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class Zipper(_Combined):
    """Tuples with the items of several pipes at one key.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> list(SequenceWrapper("ab").zip(SequenceWrapper("xyz")))
        [('a', 'x'), ('b', 'y')]
    """

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        try:
            return tuple(each[index] for each in self.datapipes)
        except IndexError as error:
            raise IndexError(
                f"Index {index} is out of range for one of the input pipes."
            ) from error

    def __len__(self) -> int:
        return min(map(len, self.datapipes))


class Shuffler(RandomOrder, IterDataPipe):
    """The items of a pipe in random order, which can only be iterated over.

    Args:
        datapipe: The source.
        indices: Its keys, if they are not 0, 1, 2, ...

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> sorted(SequenceWrapper("abc").shuffle())
        ['a', 'b', 'c']
    """

    def __init__(self, datapipe: Any, *, indices: list[Any] | None = None) -> None:
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices

    def __iter__(self) -> Iterator[Any]:
        order = self.indices
        if self._enabled:
            order = self._next_generator().sample(order, len(order))[::-1]
        for index in order:
            yield self.datapipe[index]

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)

_publish_pipes(globals(), "map")

__getattr__ = _import_at_use(__name__)
