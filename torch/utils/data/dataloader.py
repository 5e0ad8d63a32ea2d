"""DataLoader: combines a data set, a sampler and worker processes into an iterable of batches."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import torch
from torch.utils.data._utils.collate import default_collate, default_convert
from torch.utils.data._utils.dataset_kind import _DatasetKind
from torch.utils.data._utils.pipes import pipe_settings
from torch.utils.data.dataset import Dataset, IterableDataset
from torch.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert"]

T_co = TypeVar("T_co", covariant=True)

_DEFAULT_PREFETCH_FACTOR = 2
_collate_fn_t = Callable[[list[Any]], Any]  # libraries import these two
_worker_init_fn_t = Callable[[int], None]


class _InfiniteConstantSampler(Sampler[None]):
    """Yields None forever: an iterable data set determines its own order."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """An iterable over the batches of a data set.

    Args:
        dataset: A Dataset, or an IterableDataset, which determines its own order.
        batch_size: Samples per batch. None yields single samples.
        shuffle: Whether to read the samples in random order.
        sampler: The order of the indices; excludes `shuffle`.
        batch_sampler: The batches of indices; excludes `batch_size`, `shuffle`, `sampler` and
            `drop_last`.
        num_workers: How many processes load batches; 0 loads them in this process.
        collate_fn: A function that combines a list of samples into a batch. The default is
            `default_collate`, or `default_convert` without batches.
        pin_memory: Whether to copy batches to page-locked memory, for faster copies to a device;
            without a device this is a warning.
        drop_last: Whether to drop a last batch that is shorter.
        timeout: How many seconds to wait for a batch from a worker; 0 waits forever.
        worker_init_fn: A function that each worker calls with its number when it starts.
        multiprocessing_context: A multiprocessing context, or the name of a start method.
        generator: The generator of the random order and of the workers' seeds.
        prefetch_factor: How many batches each worker loads ahead; 2 by default.
        persistent_workers: Whether the workers stay alive between iterations.
        pin_memory_device: Ignored.
        in_order: Whether batches keep their order, even if a later one is ready first.

    Raises:
        ValueError: If arguments exclude each other or are out of range.

    Example:
        >>> from torch.utils.data import DataLoader, TensorDataset
        >>> dataset = TensorDataset(torch.arange(5), torch.arange(5) ** 2)
        >>> for x, y in DataLoader(dataset, batch_size=2):
        ...     print(x.tolist(), y.tolist())
        [0, 1] [0, 1]
        [2, 3] [4, 9]
        [4] [16]
    """

    __initialized = False
    _fixed = frozenset(
        ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
    )

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: _collate_fn_t | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: _worker_init_fn_t | None = None,
        multiprocessing_context: Any = None,
        generator: torch.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = _DEFAULT_PREFETCH_FACTOR
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order

        is_iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if is_iterable else _DatasetKind.Map
        pipes = pipe_settings(dataset)
        if pipes is not None and shuffle is not None:
            pipes.set_shuffle(dataset, shuffle)
        if is_iterable:
            given = None if pipes is not None else shuffle
            _check_iterable(given, sampler, batch_sampler)
        shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, "
                    "sampler, and drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None:
            sampler = _default_sampler(dataset, is_iterable, shuffle, generator)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)

        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator: Any = None
        self.check_worker_number_rationality()

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than this process has processors."""
        _warn_about_too_many_workers(self.num_workers)

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in self._fixed:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> Any:
        """The context that starts the workers. It can be set to the name of a start method."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            context = _checked_context(context, self.num_workers)
        self.__multiprocessing_context = context

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Iterator[Any]:
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None or self._iterator._is_shut_down:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self) -> Any:
        if self.num_workers == 0:
            from torch.utils.data._utils.iterators import _SingleProcessDataLoaderIter

            return _SingleProcessDataLoaderIter(self)
        from torch.utils.data._utils.multiprocess import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter(self)

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = len(self.dataset)  # type: ignore[arg-type]
        self._IterableDataset_len_called = length
        if self.batch_size is None:
            return length
        full, rest = divmod(length, self.batch_size)
        return full + (rest > 0 and not self.drop_last)


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    """Reject options that order the samples of an iterable data set."""
    expected = "DataLoader with IterableDataset: expected unspecified"
    if shuffle not in (False, None):
        raise ValueError(f"{expected} shuffle option, but got shuffle={shuffle}")
    if sampler is not None:
        raise ValueError(f"{expected} sampler option, but got sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError(f"{expected} batch_sampler option, but got batch_sampler={batch_sampler}")


def _default_sampler(
    dataset: Any, is_iterable: bool, shuffle: bool, generator: torch.Generator | None
) -> Sampler[Any]:
    if is_iterable:
        return _InfiniteConstantSampler()
    if shuffle:
        return RandomSampler(dataset, generator=generator)
    return SequentialSampler(dataset)


def _checked_context(context: Any, num_workers: int) -> Any:
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading "
            f"(num_workers > 0), but got num_workers={num_workers}"
        )
    if isinstance(context, str):
        known = multiprocessing.get_all_start_methods()
        if context not in known:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{known!r}, but got multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string "
            f"specifying the start method, but got multiprocessing_context={context}"
        )
    return context


def _warn_about_too_many_workers(num_workers: int) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if not num_workers or not cores or num_workers <= cores:
        return
    warnings.warn(
        f"This DataLoader will create {num_workers} worker processes in total. Our suggested max "
        f"number of worker in current system is {cores}, which is smaller than what this "
        "DataLoader is going to create. Please be aware that excessive worker creation might get "
        "DataLoader running slow or even freeze, lower the worker number to avoid potential "
        "slowness/freeze if necessary.",
        stacklevel=4,
    )


def _get_distributed_settings() -> tuple[int, int]:
    """Return the number of processes and this one's rank; torch.distributed is not available."""
    return 1, 0


def _sharding_worker_init_fn(
    worker_init_fn: Callable[[int], None] | None, world_size: int, rank_id: int, worker_id: int
) -> None:
    """Initialize a library's worker whose data set is a pipe: set its part, then call a function.

    Args:
        worker_init_fn: The function, called with `worker_id`; None for none.
        world_size: The number of processes that load the same data.
        rank_id: Which of them this worker belongs to.
        worker_id: Which worker of its process this is.
    """
    from torch.utils.data._utils.worker_info import get_worker_info
    from torch.utils.data.graph_settings import apply_sharding

    info = get_worker_info()
    if info is None:
        raise RuntimeError("_sharding_worker_init_fn must be called in a worker process")
    apply_sharding(info.dataset, info.num_workers * world_size, worker_id * world_size + rank_id)
    if worker_init_fn is not None:
        worker_init_fn(worker_id)


def __getattr__(name: str) -> Any:
    homes = {
        "_BaseDataLoaderIter": "iterators",
        "_SingleProcessDataLoaderIter": "iterators",
        "_MultiProcessingDataLoaderIter": "multiprocess",
        "default_collate": "collate",
        "default_convert": "collate",
        "get_worker_info": "worker_info",
    }
    if name not in homes:
        raise AttributeError(f"module 'torch.utils.data.dataloader' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"torch.utils.data._utils.{homes[name]}"), name)
