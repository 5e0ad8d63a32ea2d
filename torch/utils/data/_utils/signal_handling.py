"""Noticing that worker processes died, for libraries that start workers of their own."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable
from typing import Any

from torch._C import _set_worker_signal_handlers

__all__ = [
    "_error_if_any_worker_fails",
    "_remove_worker_pids",
    "_set_SIGCHLD_handler",
    "_set_worker_pids",
    "_set_worker_signal_handlers",
]

_worker_pids: dict[int, set[int]] = {}
_SIGCHLD_handler_set = False


def _set_worker_pids(loader: int, pids: Iterable[int]) -> None:
    """Watch the workers of a loader.

    Args:
        loader: The loader's `id`.
        pids: The process numbers of its workers.

    Raises:
        ValueError: If the loader's workers are already watched.
    """
    if loader in _worker_pids:
        raise ValueError(
            "_set_worker_pids should be called only once for each _BaseDataLoaderIter."
        )
    _worker_pids[loader] = set(pids)


def _remove_worker_pids(loader: int) -> None:
    """Stop watching the workers of a loader.

    Args:
        loader: The loader's `id`.

    Raises:
        ValueError: If its workers are not watched.
    """
    if loader not in _worker_pids:
        raise ValueError(f"Cannot find worker information for _BaseDataLoaderIter with id {loader}")
    del _worker_pids[loader]


def _error_if_any_worker_fails() -> None:
    """Raise a RuntimeError if a watched worker was killed or exited with an error code."""
    for pids in list(_worker_pids.values()):
        for pid in pids:
            try:
                # Leaves the exit status for the process object that waits for it.
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                continue  # waited for already
            if ended is None or (ended.si_code == os.CLD_EXITED and ended.si_status == 0):
                continue
            pids.clear()  # the error is raised once
            if ended.si_code == os.CLD_EXITED:
                raise RuntimeError(
                    f"DataLoader worker (pid {pid}) exited unexpectedly with exit code "
                    f"{ended.si_status}. Details are lost due to multiprocessing. Rerunning with "
                    "num_workers=0 may give better error trace."
                )
            raise RuntimeError(
                f"DataLoader worker (pid {pid}) is killed by signal: "
                f"{signal.strsignal(ended.si_status)}. "
            )


def _set_SIGCHLD_handler() -> None:
    """Raise the error of a dead worker in the main thread as soon as the worker dies."""
    global _SIGCHLD_handler_set
    if _SIGCHLD_handler_set or threading.current_thread() is not threading.main_thread():
        return
    earlier = signal.getsignal(signal.SIGCHLD)

    def handler(number: int, frame: Any) -> None:
        _error_if_any_worker_fails()
        if callable(earlier):
            earlier(number, frame)

    signal.signal(signal.SIGCHLD, handler)
    _SIGCHLD_handler_set = True
