"""Pipes that change, choose and batch the items of one other pipe."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch.utils.data._utils.collate import default_collate
from torch.utils.data.datapipes._streams import validate_input_col
from torch.utils.data.datapipes.datapipe import (
    DataChunk,
    IterDataPipe,
    check_function,
    functional_datapipe,
    length_of,
)


class IterableWrapper(IterDataPipe):
    """The items of an iterable.

    Args:
        iterable: The iterable.
        deepcopy: Whether each iteration is over a copy, so that changes do not reach the original.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(3)))
        [0, 1, 2]
    """

    def __init__(self, iterable: Iterable[Any], deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator[Any]:
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:  # generators and files cannot be copied
                warnings.warn(
                    "The input iterable can not be deepcopied, please be aware of in-place "
                    "modification would affect source data.",
                    stacklevel=2,
                )
        yield from source

    def __len__(self) -> int:
        return length_of(self.iterable, self)


@functional_datapipe("map")
class Mapper(IterDataPipe):
    """The results of a function.

    Args:
        datapipe: The source.
        fn: The function.
        input_col: The index or key of the argument in each item, or several; the item if None.
        output_col: Where to put the result; the place of the argument if None, -1 for the end.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([(1, 2), (3, 4)]).map(lambda x: 10 * x, input_col=1))
        [(1, 20), (3, 40)]
    """

    def __init__(
        self, datapipe: Any, fn: Callable[..., Any], input_col: Any = None, output_col: Any = None
    ) -> None:
        check_function(fn)
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.datapipe, self.fn = datapipe, fn
        self.input_col, self.output_col = input_col, output_col
        validate_input_col(fn, input_col)

    def _apply(self, item: Any) -> Any:
        if self.input_col is None:
            return self.fn(item)
        several = isinstance(self.input_col, (list, tuple))
        columns = list(self.input_col) if several else [self.input_col]
        result = self.fn(*(item[column] for column in columns))
        changed = list(item) if isinstance(item, tuple) else copy.copy(item)
        if self.output_col == -1:
            changed.append(result)
        elif self.output_col is None:
            changed[columns[0]] = result
            for column in sorted(columns[1:], reverse=True):
                del changed[column]
        else:
            changed[self.output_col] = result
        return tuple(changed) if isinstance(item, tuple) else changed

    def __iter__(self) -> Iterator[Any]:
        return map(self._apply, self.datapipe)

    def __len__(self) -> int:
        return length_of(self.datapipe, self)


@functional_datapipe("collate")
class Collator(Mapper):
    """Batches made into tensors.

    Args:
        datapipe: The source of batches.
        conversion: The function that makes a batch into tensors.
        collate_fn: The old name of `conversion`.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2, 3]).batch(2).collate())
        [tensor([1, 2]), tensor([3])]
    """

    def __init__(
        self,
        datapipe: Any,
        conversion: Any = default_collate,
        collate_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(datapipe, conversion if collate_fn is None else collate_fn)


@functional_datapipe("filter")
class Filter(IterDataPipe):
    """The items that a function accepts.

    Args:
        datapipe: The source.
        filter_fn: A function that returns a boolean.
        input_col: The index or key of the argument in each item, or several; the item if None.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).filter(lambda x: x % 2 == 0))
        [0, 2, 4]
    """

    def __init__(
        self, datapipe: Any, filter_fn: Callable[..., bool], input_col: Any = None
    ) -> None:
        check_function(filter_fn)
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col
        validate_input_col(filter_fn, input_col)

    def __iter__(self) -> Iterator[Any]:
        for item in self.datapipe:
            if self.input_col is None:
                accepted = self.filter_fn(item)
            elif isinstance(self.input_col, (list, tuple)):
                accepted = self.filter_fn(*(item[column] for column in self.input_col))
            else:
                accepted = self.filter_fn(item[self.input_col])
            if not isinstance(accepted, bool):
                raise ValueError(
                    "Boolean output is required for `filter_fn` of FilterIterDataPipe, got "
                    f"{type(accepted)}"
                )
            if accepted:
                yield item


@functional_datapipe("batch")
class Batcher(IterDataPipe):
    """Lists of items.

    Args:
        datapipe: The source.
        batch_size: The number of items in a list.
        drop_last: Whether to drop a last, shorter list.
        wrapper_class: The class of the lists.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).batch(2, drop_last=True))
        [[0, 1], [2, 3]]
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

    def __iter__(self) -> Iterator[Any]:
        batch: list[Any] = []
        for item in self.datapipe:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        count = length_of(self.datapipe, self)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe):
    """The items of lists.

    Args:
        datapipe: The source of lists.
        unbatch_level: How many levels of lists to open; -1 for all.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([[0, 1], [2]]).unbatch())
        [0, 1, 2]
    """

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def _items(self, value: Any, level: int) -> Iterator[Any]:
        if level == 0 or (level == -1 and not isinstance(value, list)):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from self._items(item, max(level - 1, -1))
        else:
            raise IndexError(
                f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe"
            )

    def __iter__(self) -> Iterator[Any]:
        for item in self.datapipe:
            yield from self._items(item, self.unbatch_level)
