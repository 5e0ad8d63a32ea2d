"""Profile a program in steps: which operators it calls, how often, and for how long."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.autograd.profiler import profile as _Recording
from torch.autograd.profiler import record_function
from torch.autograd.profiler_util import DeviceType, EventList

__all__ = [
    "DeviceType",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ProfilerActivity(Enum):
    """The activities that a profile records. This build records the operators of the CPU.

    Example:
        >>> torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
        True
    """

    CPU = 0
    XPU = 1
    CUDA = 2
    MTIA = 3
    HPU = 4
    PrivateUse1 = 5


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


def supported_activities() -> set[ProfilerActivity]:
    """Return what this build can record.

    Example:
        >>> len(torch.profiler.supported_activities())
        1
    """
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Return False, as this build records operators without Kineto.

    Example:
        >>> isinstance(torch.profiler.kineto_available(), bool)
        True
    """
    return False


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
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        profile.export_chrome_trace(os.path.join(dir_name, name))

    return handler


_RECORDING = (ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile:
    """Context manager that records the operators of its block, or of some of its steps.

    Args:
        activities: What to record; only the CPU's operators are recorded.
        schedule: A function that says what to do in a step; see `schedule`.
        on_trace_ready: Called with the profile when a cycle of recording has ended.
        record_shapes: Whether to record the shapes of the arguments.
        profile_memory: Whether to record how much memory of the CPU each call allocates.
        with_stack: Whether to record the lines of Python that made each call.
        with_flops: Whether to count the floating-point operations of matrix products, convolutions
            in two dimensions, `add` and `mul`.
        with_modules: Accepted for compatibility.
        **options: Accepted for compatibility.

    Example:
        >>> from torch.profiler import profile, record_function
        >>> with profile(record_shapes=True) as prof:
        ...     with record_function("forward"):
        ...         result = nn.Linear(4, 3)(torch.ones(2, 4))
        >>> names = {row.key for row in prof.key_averages()}
        >>> {"forward", "aten::linear"} <= names
        True
        >>> prof.export_chrome_trace("trace.json")
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        **options: Any,
    ) -> None:
        self.activities = set(activities) if activities else supported_activities()
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.schedule = schedule or _default_schedule_fn
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops, self.with_modules = with_flops, with_modules
        self.step_num = 0
        self._metadata: dict[str, Any] = {}
        self.current_action = self.schedule(0)
        self.profiler: _Recording | None = None
        self._recording = False
        self._step: record_function | None = None

    # ---- the steps
    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with the first step."""
        self._begin(self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """End the last step."""
        self._end_step()
        if self._recording:
            self._end()
            if self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
                self._ready()

    def step(self) -> None:
        """End a step and begin the next one."""
        self._end_step()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._end()
            self._ready()
            self._begin(self.current_action)
        elif self._changes(before):
            if self._recording:
                self._end()
            self._begin(self.current_action)
        self._begin_step()

    def _changes(self, before: ProfilerAction) -> bool:
        """Whether recording begins or ends, or a warm-up is over, whose records are dropped."""
        after = self.current_action
        warm = before is ProfilerAction.WARMUP and after is not ProfilerAction.WARMUP
        return warm or (before in _RECORDING) != (after in _RECORDING)

    def _begin(self, action: ProfilerAction) -> None:
        if action in _RECORDING:
            self.profiler = _Recording(
                record_shapes=self.record_shapes,
                profile_memory=self.profile_memory,
                with_stack=self.with_stack,
                with_flops=self.with_flops,
            )
            self.profiler.__enter__()
            self._recording = True

    def _end(self) -> None:
        if self.profiler is not None and self._recording:
            self.profiler.__exit__()
            self._recording = False

    def _ready(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _begin_step(self) -> None:
        if self.record_steps and self._recording:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()

    def _end_step(self) -> None:
        if self._step is not None:
            self._step.__exit__()
            self._step = None

    # ---- the results
    def events(self) -> EventList:
        """Return the events of the last recording."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before accessing events")
        return self.profiler.function_events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return the averages of the events; see `EventList.key_averages`."""
        return self.events().key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the stacks with their times; see `EventList.export_stacks`."""
        self.events().export_stacks(path, metric)

    def export_chrome_trace(self, path: str) -> None:
        """Write a trace for chrome://tracing and Perfetto; compressed if the name ends in .gz."""
        if not path.endswith(".gz"):
            self.events().export_chrome_trace(path, self._metadata)
            return
        with tempfile.NamedTemporaryFile("w+b", suffix=".json") as plain:
            self.events().export_chrome_trace(plain.name, self._metadata)
            with open(plain.name, "rb") as source, gzip.open(path, "wb") as target:
                shutil.copyfileobj(source, target)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a text to the trace."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a value, given as JSON, to the trace."""
        self._metadata[key] = json.loads(value)


__getattr__ = _import_at_use(__name__)
