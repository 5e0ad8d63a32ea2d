"""Iterators over a DataLoader: their base class, and the one without worker processes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd import _profiled_blocks as _blocks
from torch.utils.data._utils.dataset_kind import _DatasetKind
from torch.utils.data._utils.pin_memory import pin_memory
from torch.utils.data._utils.pipes import pipe_settings, start_pass

if TYPE_CHECKING:
    from torch.utils.data.dataloader import DataLoader


def _shared_seed(loader: DataLoader[Any]) -> int | None:
    """Draw the seed that the pipes of all workers get; None for other data sets."""
    if pipe_settings(loader.dataset) is None:
        return None
    return int(torch.empty((), dtype=torch.int64).random_(generator=loader.generator))


class _BaseDataLoaderIter:
    """Base class: reads indices from the sampler, and batches from `_next_data`."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._persistent_workers = loader.persistent_workers
        self._timeout = loader.timeout
        self._pin_memory_device = loader.pin_memory_device
        # One process has all of the data: torch.distributed is not available.
        self._world_size, self._rank = 1, 0
        self._num_workers = loader.num_workers
        self._collate_fn = loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        self._shared_seed = _shared_seed(loader)
        # Drawn without workers too, so that their number does not change later random numbers.
        drawn = torch.empty((), dtype=torch.int64).random_(generator=loader.generator)
        self._base_seed = int(drawn.item())
        self._num_yielded = 0
        self._pin_memory = loader.pin_memory and torch.accelerator.is_available()
        if loader.pin_memory and not self._pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used.",
                stacklevel=4,
            )

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        """Start the next pass."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        if _blocks.running is None:
            data = self._next_data()
        else:
            block = _blocks.begin("enumerate(DataLoader)", self, "__next__")
            try:
                data = self._next_data()
            finally:
                _blocks.end(block)
        self._num_yielded += 1
        reported = self._IterableDataset_len_called
        if (
            self._dataset_kind == _DatasetKind.Iterable
            and reported is not None
            and self._num_yielded > reported
        ):
            self._warn_about_length(reported)
        return data

    def _warn_about_length(self, reported: int) -> None:
        message = (
            f"Length of IterableDataset {self._dataset} was reported to be {reported}"
            f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            message += (
                "For multiprocessing data-loading, this could be caused by not properly "
                "configuring the IterableDataset replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset "
                "for examples."
            )
        warnings.warn(message, stacklevel=3)

    def __len__(self) -> int:
        return len(self._index_sampler)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """An iterator that loads batches in this process."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        start_pass(self._dataset, self._shared_seed)
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
        )

    def _next_data(self) -> Any:
        data = self._dataset_fetcher.fetch(self._next_index())
        return pin_memory(data) if self._pin_memory else data
