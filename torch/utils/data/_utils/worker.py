"""A worker process of a DataLoader: takes indices from one pipe and sends batches into another."""

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
from torch.utils.data._utils.worker_info import WorkerInfo, set_worker_info

# How often an idle worker looks whether it is still wanted, in seconds.
CHECK_INTERVAL = 1.0
# The longest that a worker which is done waits for its last results to be read, in seconds.
FLUSH_TIME = 5.0


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker is told when it starts."""

    worker_id: int
    num_workers: int
    base_seed: int
    dataset: Any
    dataset_kind: int
    auto_collation: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool
    init_fn: Callable[[int], None] | None

    @property
    def seed(self) -> int:
        """The seed of this worker's generators."""
        return self.base_seed + self.worker_id

    @property
    def where(self) -> str:
        """How messages name the worker."""
        return f"in DataLoader worker process {self.worker_id}"


@dataclass(frozen=True)
class Task:
    """An index to fetch. A worker begins its data set anew when the epoch changes."""

    epoch: int
    number: int
    index: Any


@dataclass(frozen=True)
class Result:
    """What a task gave: a batch or, wrapped, an exception; `ended` when there was no more data."""

    epoch: int
    number: int
    data: Any = None
    ended: bool = False


class _Outbox:
    """Sends results from a thread, so that a full pipe does not keep the worker from its work."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._messages: queue.SimpleQueue[result_channel.Message | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._send_all, daemon=True)
        self._thread.start()

    def _send_all(self) -> None:
        try:
            while (message := self._messages.get()) is not None:
                result_channel.send(self._pipe, message)
        except OSError:  # nobody reads any more; the worker's own loop finds out
            return

    def put(self, result: Result, where: str) -> None:
        """Pickles here, so that what cannot be pickled becomes an exception of the task."""
        try:
            message = result_channel.pack(result)
        except Exception:
            failure = ExceptionWrapper(where=where)
            message = result_channel.pack(Result(result.epoch, result.number, failure))
        self._messages.put(message)

    def finish(self) -> None:
        """Sends what is left: named memory on its way lives until somebody has received it."""
        self._messages.put(None)
        self._thread.join(FLUSH_TIME)


class _Source:
    """The worker's side of the data set: initialised once, begun anew for each epoch."""

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
        """What the task gives, exceptions included."""
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
            self._fetcher = _DatasetKind.create_fetcher(
                setup.dataset_kind,
                setup.dataset,
                setup.auto_collation,
                setup.collate_fn,
                setup.drop_last,
            )
            self._epoch = task.epoch
        return self._fetcher.fetch(task.index)


def _seed_generators(setup: WorkerSetup) -> None:
    """Python's, torch's and, where it is installed, NumPy's generator: each worker its own stream."""
    random.seed(setup.seed)
    torch.manual_seed(setup.seed)
    try:
        import numpy
    except ImportError:
        return
    low, high = setup.base_seed & 0xFFFFFFFF, setup.base_seed >> 32
    sequence = numpy.random.SeedSequence([setup.worker_id, low, high, 0])
    numpy.random.seed(sequence.generate_state(4))


def _next_task(tasks: Any, done: Any, started_by: int) -> Task | None:
    """The next task; None when the loader is done, or is no more."""
    while not done.is_set():
        try:
            return tasks.get(timeout=CHECK_INTERVAL)
        except queue.Empty:
            parent = parent_process()
            if os.getppid() != started_by or (parent is not None and not parent.is_alive()):
                return None
    return None


def worker_loop(setup: WorkerSetup, tasks: Any, results: Connection, done: Any) -> None:
    """The main function of a worker process."""
    started_by = os.getppid()
    try:
        torch._C._set_worker_signal_handlers()
        torch._C._set_thread_name("pt_data_worker")
        torch.set_num_threads(1)
        _seed_generators(setup)
        set_worker_info(
            WorkerInfo(
                id=setup.worker_id,
                num_workers=setup.num_workers,
                seed=setup.seed,
                dataset=setup.dataset,
            )
        )
        source, outbox = _Source(setup), _Outbox(results)
        while (task := _next_task(tasks, done, started_by)) is not None:
            if not done.is_set():
                outbox.put(source.result(task), setup.where)
        outbox.finish()
    except KeyboardInterrupt:  # the main process has it too, and reports it
        pass
