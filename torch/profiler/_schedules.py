"""Profile a program in steps: what to do in each step, and where the results go."""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable
from enum import Enum
from typing import Any

from torch._C._profiler import ProfilerActivity


class ProfilerAction(Enum):
    """The actions of a profile in a step.

    Example:
        >>> torch.profiler.ProfilerAction.RECORD.value
        2
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def supported_activities() -> set[ProfilerActivity]:
    """Return what this build can record.

    Example:
        >>> len(torch.profiler.supported_activities())
        1
    """
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Return True: profiles of this module work, although this build records without Kineto.

    Example:
        >>> torch.profiler.kineto_available()
        True
    """
    return True


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Return a function that says what to do in a step: cycles of waiting, warming up, recording.

    Args:
        wait: The steps of a cycle without recording.
        warmup: The steps of a cycle whose records are dropped.
        active: The steps of a cycle that are recorded.
        repeat: The number of cycles; 0 means without end.
        skip_first: The steps before the first cycle.
        skip_first_wait: Whether the first cycle has no waiting, if not 0.

    Raises:
        AssertionError: For a negative number, or without active steps.

    Without warm-up there is a warning.

    Example:
        >>> action = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [action(step).name for step in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} "
            f"(need >= 0), active={active} (need > 0), repeat={repeat} (need >= 0), "
            f"skip_first={skip_first} (need >= 0)."
        )

    if warmup == 0:
        warnings.warn(
            "Profiler won't be using warmup, this can skew profiler results", stacklevel=2
        )

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        cycle = wait + warmup + active
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def _default_schedule_fn(step: int) -> ProfilerAction:
    """Record every step."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
) -> Callable[[Any], None]:
    """Return a handler that writes each finished profile into a folder as a Chrome trace.

    Args:
        dir_name: The folder.
        worker_name: The beginning of the files' names; by default the host and the process.
        use_gzip: Whether to compress the files.
        use_python_export: Accepted for compatibility.

    Example:
        >>> handler = torch.profiler.tensorboard_trace_handler("traces")
        >>> with torch.profiler.profile(on_trace_ready=handler):
        ...     result = torch.ones(2) + 1
        >>> import os
        >>> len(os.listdir("traces"))
        1
    """

    def handler(profile: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(f"Can't create directory: {dir_name}") from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        profile.export_chrome_trace(os.path.join(dir_name, name))

    return handler
