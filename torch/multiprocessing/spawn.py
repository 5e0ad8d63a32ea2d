"""Run a function in several processes, and raise the first failure of one of them."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from torch import _C

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
"""The environment variable that lets `start_processes` start all processes of a fork server at once."""

# How much of the end of a traceback to send: what a socket accepts without a reader.
_MAX_REPORT_LENGTH = 50_000
# How long to wait for a process to exit after a signal, in seconds.
_EXIT_TIMEOUT = 5.0


class ProcessException(Exception):
    """Base class of the errors that `ProcessContext.join` raises for a process."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """Raised if the function raised an exception; the message is its traceback."""


class ProcessExitedException(ProcessException):
    """Raised if a signal, or sys.exit with a code other than 0, ended the process."""

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _run(fn: Callable[..., Any], index: int, args: tuple[Any, ...], report: Connection) -> None:
    """Run the function in a new process, and send the traceback of an error to `report`."""
    # End this process when its parent ends, for whatever reason.
    _C._prctl_pr_set_pdeathsig(signal.SIGINT)
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent receives it too, and reports it
    except Exception:
        report.send(traceback.format_exc()[-_MAX_REPORT_LENGTH:])
        sys.exit(1)


class ProcessContext:
    """The processes that one call started.

    Args:
        processes: The processes.
        reports: For each process, the connection through which it sends the traceback of an error.

    Example:
        >>> import time
        >>> context = torch.multiprocessing.start_processes(time.sleep, nprocs=2, join=False)
        >>> len(context.pids())
        2
        >>> while not context.join():
        ...     pass
    """

    def __init__(self, processes: list[BaseProcess], reports: list[Connection]) -> None:
        self.processes = processes
        self._reports = reports
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int | None]:
        """Return the process IDs, in order."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until at least one process has ended.

        If one has failed, the others are terminated and its failure is raised.

        Args:
            timeout: How many seconds to wait; None waits forever.
            grace_period: How many seconds the other processes may continue after a failure.

        Returns:
            Whether all processes have ended.

        Raises:
            ProcessRaisedException: If the function raised in a process.
            ProcessExitedException: If a process ended in another way.
        """
        if not self.sentinels:
            return True
        ready = multiprocessing.connection.wait(list(self.sentinels), timeout)
        ended = [self.sentinels.pop(sentinel) for sentinel in ready]  # type: ignore[index]
        for index in ended:
            self.processes[index].join()
        failed = next((i for i in ended if self.processes[i].exitcode != 0), None)
        if failed is None:
            return not self.sentinels
        self._end_all(grace_period or 0.0)
        raise self._failure(failed)

    def _end_all(self, grace_period: float) -> None:
        self._join_all(grace_period)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self.processes:
                if process.is_alive():
                    _terminate(process, number)
            self._join_all(_EXIT_TIMEOUT)

    def _join_all(self, timeout: float) -> None:
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))

    def _failure(self, index: int) -> ProcessException:
        process = self.processes[index]
        pid, code = process.pid or 0, process.exitcode or 0
        report = self._reports[index]
        try:
            text = report.recv() if report.poll() else ""
        except (EOFError, OSError):  # it ended before or while sending a report
            text = ""
        if text:
            return ProcessRaisedException(
                f"\n\n-- Process {index} terminated with the following error:\n{text}", index, pid
            )
        if code < 0:
            name = signal.Signals(-code).name
            return ProcessExitedException(
                f"process {index} terminated with signal {name}", index, pid, code, name
            )
        return ProcessExitedException(
            f"process {index} terminated with exit code {code}", index, pid, code, None
        )


SpawnContext = ProcessContext


def _terminate(process: BaseProcess, number: signal.Signals) -> None:
    """Send a signal to a process, and log that."""
    message = "Terminating process %s via signal %s"
    logging.getLogger(__name__).warning(message, process.pid, number.name)
    end = process.kill if number is signal.SIGKILL else process.terminate
    end()


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call `fn(index, *args)` in several processes, for each index below `nprocs`.

    Args:
        fn: The function. With the start methods "spawn" and "forkserver", it must be defined at
            the top level of a module that can be imported.
        args: Further arguments.
        nprocs: The number of processes.
        join: Whether to wait until all processes have ended.
        daemon: Whether the processes are terminated when this process exits.
        start_method: "spawn", "fork" or "forkserver". A fork server starts the processes all at
            once if the environment variable TORCH_MP_PARALLEL_START is 1.

    Returns:
        None after waiting, else a ProcessContext.

    Raises:
        ProcessRaisedException: If the function raised in a process, while waiting.
        ProcessExitedException: If a process ended in another way, while waiting.

    Example:
        >>> import math
        >>> torch.multiprocessing.start_processes(math.sqrt, nprocs=2)  # math.sqrt(0), math.sqrt(1)
    """
    system = multiprocessing.get_context(start_method)

    def start(index: int) -> tuple[BaseProcess, Connection]:
        ours, theirs = system.Pipe()
        process = system.Process(target=_run, args=(fn, index, args, theirs), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        return process, ours

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START) == "1":
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(nprocs) as threads:
            started = list(threads.map(start, range(nprocs)))
    else:
        started = [start(index) for index in range(nprocs)]
    processes, reports = ([pair[part] for pair in started] for part in (0, 1))
    context = ProcessContext(processes, reports)  # type: ignore[arg-type]
    if not join:
        return context
    while not context.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call `fn(index, *args)` in several new interpreters; see `start_processes`.

    Args:
        fn: A function that is defined at the top level of a module that can be imported.
        args: Further arguments.
        nprocs: The number of processes.
        join: Whether to wait until all processes have ended.
        daemon: Whether the processes are terminated when this process exits.
        start_method: Deprecated; call `start_processes` for other methods.

    Returns:
        None after waiting, else a ProcessContext.

    Raises:
        ProcessRaisedException: If the function raised in a process, while waiting.
        ProcessExitedException: If a process ended in another way, while waiting.

    Example:
        >>> import time
        >>> torch.multiprocessing.spawn(time.sleep, nprocs=1)  # calls time.sleep(0)
    """
    if start_method != "spawn":
        warnings.warn(
            f"spawn() is for the start method 'spawn'; for {start_method!r}, call start_processes() "
            "instead",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method)
