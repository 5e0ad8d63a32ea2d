"""Measure the peak memory of each job of a running Ninja from /proc.

The compilers need no wrapper: the kernel records the peak of each process (VmHWM), so occasional
samples find it, except for a job that starts and ends between two samples.
"""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

INTERVAL = 0.1
SHARE = 0.01
"""The largest share of one core that sampling may use, regardless of the number of jobs."""
_OUTPUT = re.compile(r"(?:^|\s)-o\s+(\S+)")
_IN_FRONT = frozenset(("sh", "bash", "dash", "env", "sed", "ccache", "sccache"))
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


class MemorySampler:
    """Samples the children of one process in a thread, between `watch` and `stop`."""

    def __init__(self, interval: float = INTERVAL) -> None:
        self._interval = interval
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._peaks_kb: dict[str, int] = {}

    def watch(self, pid: int) -> None:
        """Start sampling; `pid` is Ninja's process."""
        self._thread = threading.Thread(target=self._watch, args=(pid,), daemon=True)
        self._thread.start()

    def peaks(self) -> dict[str, int]:
        """Return output -> peak in MiB so far."""
        return {output: -(-peak // 1024) for output, peak in self._peaks_kb.copy().items()}

    def stop(self) -> dict[str, int]:
        """Stop sampling and return the final peaks."""
        self._done.set()
        if self._thread:
            self._thread.join()
        return self.peaks()

    def _watch(self, pid: int) -> None:
        pause = self._interval
        while not self._done.wait(pause):
            started = time.thread_time()
            self._look(pid)
            pause = max(self._interval, (time.thread_time() - started) / SHARE)

    def _look(self, pid: int) -> None:
        for job in _children(pid):
            output, processes = _output(job), _tree(job)
            if output and any(_peak_kb(process) for process in processes if _is_compiler(process)):
                peak = sum(map(_peak_kb, processes))
                self._peaks_kb[output] = max(peak, self._peaks_kb.get(output, 0))


def _tree(pid: int) -> list[int]:
    """Return the current processes of one job."""
    return [pid, *(process for child in _children(pid) for process in _tree(child))]


def _is_compiler(pid: int) -> bool:
    """Return whether a process compiles; launchers, compiler caches and what they start do not."""
    name, command = _proc(pid, "comm").strip(), _proc(pid, "cmdline").split("\0")
    return name not in _IN_FRONT and "-E" not in command


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in _proc(pid, f"task/{pid}/children").split()]
    except ValueError:
        return []


def _peak_kb(pid: int) -> int:
    match = _PEAK.search(_proc(pid, "status"))
    return int(match[1]) if match else 0


def _output(pid: int) -> str:
    """Return the output of a job, from the `-o` in its command line or in its shell's."""
    match = _OUTPUT.search(_proc(pid, "cmdline").replace("\0", " "))
    return match[1] if match else ""


def _proc(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:
        return ""
