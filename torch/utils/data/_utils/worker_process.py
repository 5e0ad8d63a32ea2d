"""The main process's handle to a worker process."""

from __future__ import annotations

import errno
import signal
import time
from multiprocessing.connection import Connection
from typing import Any

from torch.utils.data._utils import result_channel
from torch.utils.data._utils.worker import Result, Task, WorkerSetup, worker_loop

# How long to wait for a worker to exit on its own, in seconds.
_EXIT_TIMEOUT = 5.0


class WorkerDied(Exception):
    """Raised if a worker's pipe closes before the worker was asked to stop."""


_TOO_MANY_FILES = (
    "Too many open files. Communication with the workers is no longer possible. Please increase "
    "the limit using `ulimit -n` in the shell or change the sharing strategy by calling "
    "`torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of your code"
)


class WorkerProcess:
    """Starts a worker and exchanges messages with it, through pipes that it does not share."""

    def __init__(self, context: Any, setup: WorkerSetup) -> None:
        self._done = context.Event()
        self._tasks = context.Queue()
        # A worker that stops reading must not keep the main process from exiting.
        self._tasks.cancel_join_thread()
        self.results: Connection
        self.results, sending_end = context.Pipe()  # a socket, so that it can carry descriptors
        self.process = context.Process(
            target=worker_loop, args=(setup, self._tasks, sending_end, self._done), daemon=True
        )
        self.process.start()
        # The worker now has the only sending end, so its death closes the pipe.
        sending_end.close()

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the process, such as `pid`, `is_alive` and `terminate`."""
        return getattr(self.__dict__["process"], name)

    def send(self, task: Task) -> None:
        """Queue a task."""
        self._tasks.put(task)

    def receive(self) -> Result:
        """Receive the next result; raise WorkerDied if the worker died, even in mid-message."""
        try:
            message = result_channel.receive(self.results)
        except (EOFError, OSError) as error:
            if getattr(error, "errno", None) == errno.EMFILE:
                raise RuntimeError(_TOO_MANY_FILES) from None
            raise WorkerDied from error
        result: Result = result_channel.unpack(message)
        return result

    def describe_death(self) -> str:
        """Describe how the worker died."""
        self.process.join(_EXIT_TIMEOUT)
        code = self.process.exitcode
        name = f"DataLoader worker (pid {self.process.pid})"
        if code is not None and code < 0:
            return f"{name} is killed by signal: {signal.strsignal(-code)}. "
        return (
            f"{name} exited unexpectedly with exit code {code}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace."
        )

    def ask_to_stop(self) -> None:
        """Ask the worker to stop, without waiting for it."""
        self._done.set()
        self._tasks.put(None)

    def _drain(self) -> None:
        """Receive and drop the remaining results, so that no shared memory stays behind."""
        end = time.monotonic() + _EXIT_TIMEOUT
        while self.results.poll(max(0.0, end - time.monotonic())):
            try:
                self.receive()
            except Exception:  # the worker has exited, or its last result cannot be unpickled
                return

    def stop(self) -> None:
        """Wait for a worker that was asked to stop; terminate it if it does not exit."""
        self._drain()
        self.process.join(_EXIT_TIMEOUT)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(_EXIT_TIMEOUT)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.results.close()
        self._tasks.close()
