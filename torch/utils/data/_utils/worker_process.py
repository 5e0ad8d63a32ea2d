"""The main process's handle of a worker process."""

from __future__ import annotations

import signal
import time
from multiprocessing.connection import Connection
from typing import Any

from torch.utils.data._utils import result_channel
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
        self.results, sending_end = context.Pipe()  # a socket: descriptors can pass
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
            message = result_channel.receive(self.results)
        except (EOFError, OSError) as error:
            raise WorkerDied from error
        result: Result = result_channel.unpack(message)
        return result

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

    def _drain(self) -> None:
        """Receives what nobody wants any more, so that no memory stays behind, until the end."""
        end = time.monotonic() + _PATIENCE
        while self.results.poll(max(0.0, end - time.monotonic())):
            try:
                self.receive()
            except Exception:  # the worker has ended, or its last result cannot be unpickled
                return

    def stop(self) -> None:
        """Waits until the worker, which was asked to stop, is gone; ends it if need be."""
        self._drain()
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.results.close()
        self._tasks.close()
