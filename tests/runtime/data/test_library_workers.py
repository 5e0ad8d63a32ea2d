"""What libraries with worker processes of their own use of the DataLoader's parts."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, get_worker_info
from torch.utils.data import _utils as parts
from torch.utils.data._utils import signal_handling, worker
from torch.utils.data._utils.fetch import _BaseDatasetFetcher
from torch.utils.data.dataloader import _BaseDataLoaderIter, _DatasetKind

FORK = multiprocessing.get_context("fork")


class Counter(IterableDataset):
    """Counts to five."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(5))


def test_a_fetcher_shows_the_iterator_of_its_data_set() -> None:
    fetcher = _DatasetKind.create_fetcher(_DatasetKind.Iterable, Counter(), True, list, False)
    assert isinstance(fetcher, _BaseDatasetFetcher)
    assert fetcher.fetch([None] * 2) == [0, 1]
    fetcher.dataset_iter = iter([7, 8])
    assert fetcher.fetch([None] * 3) == [7, 8] and fetcher.ended
    with pytest.raises(StopIteration):
        fetcher.fetch([None])


def test_an_iterator_of_a_library_can_be_reset() -> None:
    class Own(_BaseDataLoaderIter):
        def _next_data(self) -> Any:
            return self._next_index()

    loader = DataLoader(TensorDataset(torch.arange(3)), batch_size=2, timeout=0)
    own = Own(loader)
    assert list(own) == [[0, 1], [2]]
    own._reset(loader, first_iter=False)
    assert next(own) == [0, 1]
    assert (own._timeout, own._persistent_workers, own._world_size, own._rank) == (0, False, 1, 0)


def _describe(sending_end: Any) -> None:
    worker._worker_info = worker.WorkerInfo(id=1, num_workers=3, seed=5, dataset="its data")
    sending_end.send((get_worker_info(), worker.ManagerWatchdog().is_alive()))


def test_a_library_declares_its_workers() -> None:
    assert get_worker_info() is None
    receiving_end, sending_end = FORK.Pipe()
    process = FORK.Process(target=_describe, args=(sending_end,))
    process.start()
    info, alive = receiving_end.recv()
    process.join()
    assert (info.id, info.num_workers, info.seed, info.dataset) == (1, 3, 5, "its data")
    assert (info.rng, info.worker_method, alive) == (None, "multiprocessing", True)
    assert get_worker_info() is None


@pytest.mark.parametrize(
    ("die", "message"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "is killed by signal: Killed"),
        (lambda: os._exit(3), "exited unexpectedly with exit code 3"),
        (lambda: os._exit(0), None),
    ],
)
def test_a_dead_worker_of_a_library_is_reported(die: Any, message: str | None) -> None:
    process = FORK.Process(target=die)
    process.start()
    signal_handling._set_worker_pids(-1, (process.pid,))
    try:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        if message is None:
            signal_handling._error_if_any_worker_fails()
        else:
            with pytest.raises(RuntimeError, match=message):
                signal_handling._error_if_any_worker_fails()
            signal_handling._error_if_any_worker_fails()  # raised only once
    finally:
        signal_handling._remove_worker_pids(-1)
        process.join()
    with pytest.raises(ValueError, match="Cannot find worker information"):
        signal_handling._remove_worker_pids(-1)


def test_the_handler_raises_where_the_main_thread_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal_handling, "_SIGCHLD_handler_set", False)
    earlier = signal.getsignal(signal.SIGCHLD)
    try:
        signal_handling._set_SIGCHLD_handler()
        process = FORK.Process(target=os._exit, args=(4,))
        process.start()
        signal_handling._set_worker_pids(-2, (process.pid,))
        with pytest.raises(RuntimeError, match="exit code 4"):
            while True:
                time.sleep(0.01)
                signal_handling._error_if_any_worker_fails()  # it may have died already
        process.join()
    finally:
        signal.signal(signal.SIGCHLD, earlier)
        signal_handling._remove_worker_pids(-2)


def test_constants_of_the_parts() -> None:
    assert parts.MP_STATUS_CHECK_INTERVAL == 5.0
    assert parts.python_exit_status is False


def test_descriptions_of_workers_cannot_be_changed() -> None:
    info = worker.WorkerInfo(id=1, num_workers=3, seed=5, dataset="its data")
    for name in ("id", "other"):
        with pytest.raises(AttributeError, match=f"cannot assign to field '{name}'"):
            setattr(info, name, 2)
    assert info == pickle.loads(pickle.dumps(info))
