"""The iterator over a DataLoader with worker processes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from torch._utils import ExceptionWrapper
from torch.utils.data._utils.iterators import _BaseDataLoaderIter
from torch.utils.data._utils.pin_memory import PinningThread
from torch.utils.data._utils.worker import Result, Task, WorkerSetup
from torch.utils.data._utils.worker_process import WorkerDied, WorkerProcess

if TYPE_CHECKING:
    from torch.utils.data.dataloader import DataLoader


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Distributes indices over the workers, and returns the batches in order.

    A task is pending from the time its index is sent until its batch is returned. At any time,
    each worker has `prefetch_factor` pending tasks.
    """

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._timeout = loader.timeout or None
        self._in_order = loader.in_order
        self._prefetch_factor = max(1, loader.prefetch_factor or 1)
        self._owner = os.getpid()
        self._workers: list[WorkerProcess] = []
        self._pinning = PinningThread() if self._pin_memory else None
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
                shared_seed=self._shared_seed,
            )
            self._workers.append(WorkerProcess(context, setup))
        self._start_pass()

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        self._epoch += 1  # results of earlier tasks have an older epoch and are dropped
        self._start_pass()

    def _start_pass(self) -> None:
        self._numbers = itertools.count()
        self._turn = itertools.cycle(range(self._num_workers))
        self._active = set(range(self._num_workers))
        self._pending: dict[int, int] = {}  # number of a task -> its worker, in order
        self._arrived: dict[int, Any] = {}
        self._send_tasks()

    # ---- sending tasks
    def _send_tasks(self) -> None:
        """Send indices until enough tasks are pending."""
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
        """Choose the next worker in turn or, if order does not matter, the least busy one."""
        if not self._in_order:
            busy = [self._pending[n] for n in self._pending if n not in self._arrived]
            return min(self._active, key=busy.count)
        return next(worker for worker in self._turn if worker in self._active)

    # ---- returning batches
    def _next_data(self) -> Any:
        while self._pending:
            number = self._next_number()
            if number is not None:
                del self._pending[number]
                data = self._arrived.pop(number)
                self._send_tasks()
                if self._pinning is not None:
                    self._receive(timeout=0)  # what has arrived is pinned while the caller computes
                    data = data.result()
                if isinstance(data, ExceptionWrapper):
                    data.reraise()
                return data
            self._receive(self._timeout)
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _next_number(self) -> int | None:
        """Return the number of the task whose batch comes next, if that has arrived."""
        if not self._in_order:
            return next(iter(self._arrived), None)
        first = next(iter(self._pending))
        return first if first in self._arrived else None

    def _receive(self, timeout: float | None) -> None:
        """Wait for results, unless the timeout is 0, and receive all that have arrived."""
        waiting = {
            self._workers[worker].results: worker
            for number, worker in self._pending.items()
            if number not in self._arrived
        }
        ready = wait(list(waiting), timeout)
        if not ready and timeout != 0:
            raise RuntimeError(f"DataLoader timed out after {self._timeout:g} seconds")
        for pipe in ready:
            worker = waiting[pipe]
            try:
                result = self._workers[worker].receive()
            except WorkerDied:
                self._report_dead(self._workers[worker])
            if result.epoch == self._epoch:
                self._store_result(worker, result)

    def _store_result(self, worker: int, result: Result) -> None:
        if not result.ended:
            pinning = self._pinning
            data = result.data if pinning is None else pinning.submit(result.data)
            self._arrived[result.number] = data
            return
        # The data set of this worker has ended, so it will not answer its other tasks.
        self._active.discard(worker)
        for number, assigned in list(self._pending.items()):
            if assigned == worker and number not in self._arrived:
                del self._pending[number]
        if not self._persistent_workers:
            self._workers[worker].ask_to_stop()
        self._send_tasks()

    def _report_dead(self, worker: WorkerProcess) -> None:
        reason = worker.describe_death()
        self._shutdown_workers()
        message = f"DataLoader worker (pid(s) {worker.process.pid}) exited unexpectedly"
        raise RuntimeError(message) from RuntimeError(reason)

    # ---- shutdown
    @property
    def _is_shut_down(self) -> bool:
        return not self._workers

    def _shutdown_workers(self) -> None:
        """Stop the workers, unless this process is a fork: then they belong to its parent."""
        workers, self._workers = self._workers, []
        self._pending, self._arrived = {}, {}
        if self._owner != os.getpid():
            return
        if self._pinning is not None:
            self._pinning.stop()
        for worker in workers:
            worker.ask_to_stop()
        for worker in workers:
            worker.stop()

    def __del__(self) -> None:
        # The attribute is missing if the constructor failed early.
        if getattr(self, "_workers", None):
            self._shutdown_workers()
