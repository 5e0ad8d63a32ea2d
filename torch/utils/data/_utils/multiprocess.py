"""A pass over a DataLoader with worker processes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from torch._utils import ExceptionWrapper
from torch.utils.data._utils.iterators import _BaseDataLoaderIter
from torch.utils.data._utils.worker import Result, Task, WorkerSetup
from torch.utils.data._utils.worker_process import WorkerDied, WorkerProcess

if TYPE_CHECKING:
    from torch.utils.data.dataloader import DataLoader


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Hands indices out in turn, and gives the batches back in the order of the indices.

    A task is pending from when its index is sent until its batch is given back; `prefetch_factor`
    tasks for each worker are pending at any time.
    """

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._timeout = loader.timeout or None
        self._in_order = loader.in_order
        self._persistent_workers = loader.persistent_workers
        self._prefetch_factor = max(1, loader.prefetch_factor or 1)
        self._owner = os.getpid()
        self._workers: list[WorkerProcess] = []
        self._epoch = 0
        context = loader.multiprocessing_context or multiprocessing
        for worker_id in range(self._num_workers):
            setup = WorkerSetup(
                worker_id=worker_id,
                num_workers=self._num_workers,
                base_seed=self._base_seed,
                dataset=self._dataset,
                dataset_kind=self._dataset_kind,
                auto_collation=self._auto_collation,
                collate_fn=self._collate_fn,
                drop_last=self._drop_last,
                init_fn=loader.worker_init_fn,
            )
            self._workers.append(WorkerProcess(context, setup))
        self._begin()

    def _reset(self, loader: DataLoader[Any]) -> None:
        super()._reset(loader)
        self._epoch += 1  # results of tasks that are still under way are told by it, and dropped
        self._begin()

    def _begin(self) -> None:
        self._numbers = itertools.count()
        self._turn = itertools.cycle(range(self._num_workers))
        self._active = set(range(self._num_workers))
        self._pending: dict[int, int] = {}  # number of a task -> its worker, in order
        self._arrived: dict[int, Any] = {}
        self._hand_out()

    # ---- handing out
    def _hand_out(self) -> None:
        """Sends indices until enough tasks are pending."""
        while self._active and len(self._pending) < self._prefetch_factor * len(self._active):
            try:
                index = self._next_index()
            except StopIteration:
                return
            worker = self._next_worker()
            number = next(self._numbers)
            self._pending[number] = worker
            self._workers[worker].send(Task(self._epoch, number, index))

    def _next_worker(self) -> int:
        """The next one in turn or, when order does not matter, the one with the least to do."""
        if not self._in_order:
            busy = [self._pending[n] for n in self._pending if n not in self._arrived]
            return min(self._active, key=busy.count)
        return next(worker for worker in self._turn if worker in self._active)

    # ---- giving back
    def _next_data(self) -> Any:
        while self._pending:
            number = self._next_number()
            if number is not None:
                del self._pending[number]
                data = self._arrived.pop(number)
                self._hand_out()
                if isinstance(data, ExceptionWrapper):
                    data.reraise()
                return data
            self._receive()
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _next_number(self) -> int | None:
        """The number of the task whose batch is given next, if that batch is here."""
        if not self._in_order:
            return next(iter(self._arrived), None)
        first = next(iter(self._pending))
        return first if first in self._arrived else None

    def _receive(self) -> None:
        """Waits for results, and takes those that are there."""
        waiting = {
            self._workers[worker].results: worker
            for number, worker in self._pending.items()
            if number not in self._arrived
        }
        ready = wait(list(waiting), self._timeout)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._timeout:g} seconds")
        for pipe in ready:
            worker = waiting[pipe]
            try:
                result = self._workers[worker].receive()
            except WorkerDied:
                self._report_dead(self._workers[worker])
            if result.epoch == self._epoch:
                self._take(worker, result)

    def _take(self, worker: int, result: Result) -> None:
        if not result.ended:
            self._arrived[result.number] = result.data
            return
        # The data set of this worker has ended: what else it was asked for will not come.
        self._active.discard(worker)
        for number, its_worker in list(self._pending.items()):
            if its_worker == worker and number not in self._arrived:
                del self._pending[number]
        if not self._persistent_workers:
            self._workers[worker].ask_to_stop()
        self._hand_out()

    def _report_dead(self, worker: WorkerProcess) -> None:
        reason = worker.death()
        self._shutdown_workers()
        message = f"DataLoader worker (pid(s) {worker.process.pid}) exited unexpectedly"
        raise RuntimeError(message) from RuntimeError(reason)

    # ---- the end
    @property
    def _is_shut_down(self) -> bool:
        return not self._workers

    def _shutdown_workers(self) -> None:
        """Ends the workers. A process forked from the main one has the handles, not the workers."""
        workers, self._workers = self._workers, []
        self._pending, self._arrived = {}, {}
        if self._owner != os.getpid():
            return
        for worker in workers:
            worker.ask_to_stop()
        for worker in workers:
            worker.stop()

    def __del__(self) -> None:
        # Not there when the constructor has failed early.
        if getattr(self, "_workers", None):
            self._shutdown_workers()
