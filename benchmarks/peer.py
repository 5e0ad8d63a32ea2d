"""Times two interpreters side by side: ours and the one that TORCH_PEER names.

A worker process holds one torch and answers one request per line. The driver alternates between the
two, so that a slow period of the machine affects both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

# Seconds between two bursts. The threads of OpenMP spin for some milliseconds after a parallel loop
# before they sleep, and would take processor time from the other side's burst.
PAUSE = 0.015
# A row has more bursts while the middle half of a side's differ by more than this, but at most so
# many times those asked for.
SPREAD = 1.05
PATIENCE = 4
UNSET = ("OPENBLAS_CORETYPE", "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def clean_environment() -> dict[str, str]:
    """Return the environment of both workers, without variables that influence libraries."""
    return {name: value for name, value in os.environ.items() if name not in UNSET}


def unset_note() -> str:
    """Return a line for the head of every report: the variables that were unset."""
    taken = [f"{name}={os.environ[name]}" for name in UNSET if name in os.environ]
    return f"unset for both: {', '.join(taken) or 'nothing'}"


def require_peer() -> str:
    """Return the Python with real PyTorch, or exit with a message that says how to get one."""
    python = os.environ.get("TORCH_PEER")
    if not python:
        sys.exit("TORCH_PEER is not set: name a Python that has torch==2.13.0 installed")
    return python


@dataclass(frozen=True)
class Row:
    """One timed call: `setup` once, then `call` many times, on `threads` threads."""

    name: str
    setup: str
    call: str
    threads: int = 1
    milliseconds: float = 5.0


class Worker:
    """One interpreter with its torch, controlled over pipes."""

    def __init__(self, python: str, path: str | None = None) -> None:
        environment = clean_environment()
        environment.pop("PYTHONPATH", None)
        if path:
            environment["PYTHONPATH"] = path
        self.process = subprocess.Popen(
            [python, str(Path(__file__).with_name("peer_worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd="/",
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send one request; return the worker's answer, or its error under `error`."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker died (exit {self.process.wait()}) at {request}")
        return json.loads(line)

    def close(self) -> None:
        """Stop the worker."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


@dataclass(frozen=True)
class Timing:
    """The median nanoseconds of one call; `error` names the side that could not run the row."""

    row: Row
    ours: float = 0.0
    theirs: float = 0.0
    error: str = ""
    work: dict[str, Any] | None = None  # from row_work.py; None where it could not be counted

    @property
    def ratio(self) -> float:
        """Our time over the peer's: below 1 means faster."""
        return self.ours / self.theirs


def settled(samples: list[float]) -> bool:
    """Return whether the middle half of the bursts of a side agree."""
    if len(samples) < 2:
        return True
    lower, _, upper = quantiles(samples, n=4, method="inclusive")
    return upper <= SPREAD * lower


def compare(ours: Worker, theirs: Worker, row: Row, rounds: int) -> Timing:
    """Time a row on each side, alternating, and return the medians.

    Each side has `rounds` bursts, and more of them where they differ, whichever side they favour.
    """
    samples: tuple[list[float], list[float]] = ([], [])
    for worker, side in ((ours, "torchsmith"), (theirs, "PyTorch")):
        answer = worker.ask(
            do="prepare",
            setup=row.setup,
            call=row.call,
            threads=row.threads,
            milliseconds=row.milliseconds,
        )
        if "error" in answer:
            return Timing(row, error=f"{side}: {answer['error']}")
    for burst in range(PATIENCE * rounds):
        if burst >= rounds and all(map(settled, samples)):
            break
        for worker, kept in zip((ours, theirs), samples, strict=True):
            if row.threads > 1:
                time.sleep(PAUSE)
            kept.append(worker.ask(do="time")["nanoseconds"])
    work = ours.ask(do="work")
    return Timing(
        row, median(samples[0]), median(samples[1]), work=None if "error" in work else work
    )
