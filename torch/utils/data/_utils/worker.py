"""A worker process of a DataLoader: reads indices from one pipe, writes batches to another."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

import torch
from torch._utils import ExceptionWrapper
from torch.utils.data._utils import result_channel
from torch.utils.data._utils.dataset_kind import _DatasetKind
from torch.utils.data._utils.pipes import start_pass
from torch.utils.data._utils.worker_info import WorkerInfo, get_worker_info

__all__ = ["ManagerWatchdog", "WorkerInfo", "WorkerSetup", "get_worker_info", "worker_loop"]

# How often an idle worker checks whether it is still needed, in seconds.
CHECK_INTERVAL = 1.0
# How long a worker that has finished waits for its last results to be read, in seconds.
FLUSH_TIME = 5.0

# Describes the worker that runs in this process; `get_worker_info` returns it.
_worker_info: WorkerInfo | None = None


class ManagerWatchdog:
    """Tells whether the process that started this one still runs."""

    def __init__(self) -> None:
        self.manager_pid = os.getppid()

    def is_alive(self) -> bool:
        """Return False after the end of the process that started this one."""
        parent = parent_process()
        return os.getppid() == self.manager_pid and (parent is None or parent.is_alive())


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """What workers of libraries send when their iterable data set has ended."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """What libraries send to their persistent workers at the start of the next pass."""

    seed: int | None = None


@dataclass(frozen=True)
class WorkerSetup:
    """The arguments of a worker."""

    worker_id: int
    num_workers: int
    base_seed: int
    dataset: Any
    dataset_kind: int
    auto_collation: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool
    init_fn: Callable[[int], None] | None
    shared_seed: int | None = None

    @property
    def seed(self) -> int:
        """The seed of the worker's generators."""
        return self.base_seed + self.worker_id

    @property
    def where(self) -> str:
        """The name of the worker in messages."""
        return f"in DataLoader worker process {self.worker_id}"


@dataclass(frozen=True)
class Task:
    """An index to fetch. A new epoch makes the worker restart its data set."""

    epoch: int
    number: int
    index: Any


@dataclass(frozen=True)
class Result:
    """The result of a task: a batch, or a wrapped exception; `ended` if no data was left."""

    epoch: int
    number: int
    data: Any = None
    ended: bool = False


class _Outbox:
    """Sends results from a thread, so that a full pipe does not stop the worker."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._messages: queue.SimpleQueue[result_channel.Message | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._send_all, daemon=True)
        self._thread.start()

    def _send_all(self) -> None:
        try:
            while (message := self._messages.get()) is not None:
                result_channel.send(self._pipe, message)
        except OSError:  # the reader is gone, which the worker's own loop will notice
            return

    def put(self, result: Result, where: str) -> None:
        """Queue a result. Pickle it first, so that a failure becomes the task's exception."""
        try:
            message = result_channel.pack(result)
        except Exception:
            failure = ExceptionWrapper(where=where)
            message = result_channel.pack(Result(result.epoch, result.number, failure))
        self._messages.put(message)

    def finish(self) -> None:
        """Send all queued results: unread ones would leave named shared memory behind."""
        self._messages.put(None)
        self._thread.join(FLUSH_TIME)


class _Source:
    """The worker's data set: initialised once, restarted in each epoch."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._epoch: int | None = None
        self._fetcher: Any = None
        self._failure: ExceptionWrapper | None = None
        try:
            if setup.init_fn is not None:
                setup.init_fn(setup.worker_id)
        except Exception:
            self._failure = ExceptionWrapper(where=setup.where)

    def result(self, task: Task) -> Result:
        """Run a task; return its batch or its exception."""
        try:
            data = self._failure or self._fetch(task)
        except Exception as error:
            if isinstance(error, StopIteration) and (
                self._setup.dataset_kind == _DatasetKind.Iterable
            ):
                return Result(task.epoch, task.number, ended=True)
            data = ExceptionWrapper(where=self._setup.where)
        return Result(task.epoch, task.number, data)

    def _fetch(self, task: Task) -> Any:
        setup = self._setup
        if task.epoch != self._epoch:
            if setup.shared_seed is not None:
                seed = setup.shared_seed + task.epoch
                start_pass(setup.dataset, seed, setup.num_workers, setup.worker_id)
            self._fetcher = _DatasetKind.create_fetcher(
                setup.dataset_kind,
                setup.dataset,
                setup.auto_collation,
                setup.collate_fn,
                setup.drop_last,
            )
            self._epoch = task.epoch
        return self._fetcher.fetch(task.index)


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Return four numbers of 32 bits that seed NumPy in a worker, as numpy.random.SeedSequence."""
    import numpy

    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return [int(word) for word in numpy.random.SeedSequence(entropy).generate_state(4)]


def _seed_generators(setup: WorkerSetup) -> None:
    """Seed the generators of Python, torch and (if installed) NumPy, differently in each worker."""
    random.seed(setup.seed)
    torch.manual_seed(setup.seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(_generate_state(setup.base_seed, setup.worker_id))


def _next_task(tasks: Any, done: Any, watchdog: ManagerWatchdog) -> Task | None:
    """Return the next task; None if the loader has finished or its process is gone."""
    while not done.is_set():
        try:
            return tasks.get(timeout=CHECK_INTERVAL)
        except queue.Empty:
            if not watchdog.is_alive():
                return None
    return None


def worker_loop(setup: WorkerSetup, tasks: Any, results: Connection, done: Any) -> None:
    """Run a worker process until the loader has finished."""
    global _worker_info
    watchdog = ManagerWatchdog()
    try:
        torch._C._set_worker_signal_handlers()
        torch._C._set_thread_name("pt_data_worker")
        torch.set_num_threads(1)
        _seed_generators(setup)
        _worker_info = WorkerInfo(
            id=setup.worker_id,
            num_workers=setup.num_workers,
            seed=setup.seed,
            dataset=setup.dataset,
        )
        source, outbox = _Source(setup), _Outbox(results)
        while (task := _next_task(tasks, done, watchdog)) is not None:
            if not done.is_set():
                outbox.put(source.result(task), setup.where)
        outbox.finish()
    except KeyboardInterrupt:  # the main process receives it too, and reports it
        pass
