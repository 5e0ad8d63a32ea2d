"""Starts a function in several processes, and hands on the first failure of one of them."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
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

# The end of a traceback says what happened; this much a socket takes when nobody reads.
_LONGEST_REPORT = 50_000
# The longest wait for a process to end when it is told to, in seconds.
_PATIENCE = 5.0


class ProcessException(Exception):
    """A process that was started with others has failed."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function raised; the message is its traceback."""


class ProcessExitedException(ProcessException):
    """A signal, or sys.exit with a code, ended the process."""

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
    """The main function of a process; a traceback goes to `report`."""
    # Ends with the parent, however that one ends.
    _C._prctl_pr_set_pdeathsig(signal.SIGINT)
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent has it too, and reports it
    except Exception:
        report.send(traceback.format_exc()[-_LONGEST_REPORT:])
        sys.exit(1)


class ProcessContext:
    """The processes that one call started."""

    def __init__(self, processes: list[BaseProcess], reports: list[Connection]) -> None:
        self.processes = processes
        self._reports = reports
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int | None]:
        """The number of each process, in order."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Whether all processes have ended, after waiting for at least one to end.

        When one has failed, the others are ended (after `grace_period` seconds for them to end
        by themselves) and its failure is raised.
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
        for end in (BaseProcess.terminate, BaseProcess.kill):
            for process in self.processes:
                if process.is_alive():
                    end(process)
            self._join_all(_PATIENCE)

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
        except (EOFError, OSError):  # ended before, or in the middle of, a report
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


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Calls `fn(index, *args)` in `nprocs` processes; with `join`, waits until all have ended.

    Raises ProcessRaisedException or ProcessExitedException for the first that failed.
    """
    system = multiprocessing.get_context(start_method)
    processes: list[BaseProcess] = []
    reports = []
    for index in range(nprocs):
        ours, theirs = system.Pipe()
        process = system.Process(target=_run, args=(fn, index, args, theirs), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        processes.append(process)
        reports.append(ours)
    context = ProcessContext(processes, reports)
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
    """As start_processes, in fresh interpreters."""
    if start_method != "spawn":
        warnings.warn(
            f"spawn() with start_method={start_method!r}: call start_processes() instead",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method)
