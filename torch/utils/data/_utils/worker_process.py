"""The main process's handle of a worker process."""

from __future__ import annotations

import signal
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from torch.utils.data._utils.worker import Result, Task, WorkerSetup, worker_loop

# The longest wait for a worker to end by itself, in seconds.
_PATIENCE = 5.0


class WorkerDied(Exception):
    """A worker's pipe has ended before the worker was told to stop."""


class WorkerProcess:
    """Starts a worker, and speaks with it. Each has pipes of its own: none can block another."""

    def __init__(self, context: Any, setup: WorkerSetup) -> None:
        self._done = context.Event()
        self._tasks = context.Queue()
        # A worker that has stopped reading must not keep the main process from ending.
        self._tasks.cancel_join_thread()
        self.results: Connection
        self.results, sending_end = context.Pipe(duplex=False)
        self.process = context.Process(
            target=worker_loop, args=(setup, self._tasks, sending_end, self._done), daemon=True
        )
        self.process.start()
        # The worker now has the only sending end, so its death ends the pipe.
        sending_end.close()

    def send(self, task: Task) -> None:
        """Queues a task."""
        self._tasks.put(task)

    def receive(self) -> Result:
        """The next result. Raises WorkerDied when the worker has died, in the middle of one too."""
        try:
            return ForkingPickler.loads(self.results.recv_bytes())
        except (EOFError, ConnectionError) as error:
            raise WorkerDied from error

    def death(self) -> str:
        """How the worker ended, in words."""
        self.process.join(_PATIENCE)
        code = self.process.exitcode
        name = f"DataLoader worker (pid {self.process.pid})"
        if code is not None and code < 0:
            return f"{name} is killed by signal: {signal.strsignal(-code)}. "
        return (
            f"{name} exited unexpectedly with exit code {code}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace."
        )

    def ask_to_stop(self) -> None:
        """Tells the worker that nothing more is wanted; does not wait."""
        self._done.set()
        self._tasks.put(None)

    def stop(self) -> None:
        """Waits until the worker, which was asked to stop, is gone; ends it if need be."""
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.results.close()
        self._tasks.close()
