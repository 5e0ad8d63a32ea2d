"""The two kinds of data sets, and how samples are fetched from each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class _BaseDatasetFetcher:
    """Base class: the data set, and how its samples become batches."""

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, index: Any) -> Any:
        """Return a batch; subclasses override this."""
        raise NotImplementedError


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Fetches samples by index."""

    def fetch(self, index: Any) -> Any:
        """Return the batch for a list of indices or, without batching, one sample."""
        if not self.auto_collation:
            data = self.dataset[index]
        elif getattr(self.dataset, "__getitems__", None):
            data = self.dataset.__getitems__(index)
        else:
            data = [self.dataset[position] for position in index]
        return self.collate_fn(data)


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Fetches samples in the order of the data set; an index only says how many."""

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter: Iterator[Any] = iter(dataset)
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """Return the next batch; raise StopIteration at the end of the data set."""
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        if self.ended:
            raise StopIteration
        data = []
        for _ in index:
            try:
                data.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not data or (self.drop_last and len(data) < len(index)):
            raise StopIteration
        return self.collate_fn(data)


class _DatasetKind:
    """The kinds of data sets. Map: samples by index. Iterable: samples by iteration."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int,
        dataset: Any,
        auto_collation: bool,
        collate_fn: Callable[[Any], Any],
        drop_last: bool,
    ) -> _MapDatasetFetcher | _IterableDatasetFetcher:
        """Create the fetcher for a data set of this kind."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)
