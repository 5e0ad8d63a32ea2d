"""Profile a program, all of it or in steps: which operators it calls, how often, and for how long."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from torch._C._profiler import ProfilerActivity
from torch._published import publish_all as _publish_all
from torch.autograd.profiler import KinetoStepTracker, record_function
from torch.autograd.profiler import profile as _Recording
from torch.autograd.profiler_util import EventList
from torch.profiler._schedules import (
    ProfilerAction,
    _default_schedule_fn,
    kineto_available,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

_publish_all(
    globals(), ("ProfilerAction", "schedule", "supported_activities", "tensorboard_trace_handler")
)

PROFILER_STEP_NAME = "ProfilerStep"
_warned_of_cycles = False


class _KinetoProfile:
    """A profile that a program starts and stops; the arguments are those of `profile`."""

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = set(activities) if activities is not None else supported_activities()
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.use_device: str | None = None
        self.profiler: _Recording | None = None
        self.preset_metadata: dict[str, str] = {}
        self._metadata: dict[str, Any] = {}

    # ---- the recording
    def start(self) -> None:
        """Begin to record."""
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        """End the recording."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Get ready for `start_trace`, which drops the events of earlier recordings."""
        if self.profiler is not None and not self.acc_events:
            _warn_of_cycles()
        earlier = self.profiler
        self.profiler = _Recording(
            record_shapes=self.record_shapes,
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
            with_flops=self.with_flops,
            with_modules=self.with_modules,
            experimental_config=self.experimental_config,
            acc_events=self.acc_events,
            custom_trace_id_callback=self.custom_trace_id_callback,
        )
        if earlier is not None and self.acc_events:
            self.profiler._events = earlier.function_events

    def start_trace(self) -> None:
        """Begin to record, after `prepare_trace`."""
        self._initialized("starting trace").__enter__()
        self._metadata = {name: json.loads(text) for name, text in self.preset_metadata.items()}

    def stop_trace(self) -> None:
        """End the recording; the events exist from here on."""
        self._initialized("stopping trace").__exit__(None, None, None)

    def toggle_collection_dynamic(
        self, enable: bool, activities: Iterable[ProfilerActivity]
    ) -> None:
        """Stop recording for a while, or go on; see `torch.autograd.profiler.profile`."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def _initialized(self, purpose: str) -> _Recording:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {purpose}")
        return self.profiler

    # ---- the results
    def events(self) -> EventList:
        """Return the events of the last recording."""
        return self._initialized("accessing events").function_events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return the averages of the events; see `EventList.key_averages`."""
        return self._initialized("getting key averages").key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the stacks with their times; see `EventList.export_stacks`."""
        self._initialized("exporting stacks").export_stacks(path, metric)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write a trace for chrome://tracing and Perfetto.

        Args:
            path: The file, which is compressed if its name ends in .gz.
            use_python_export: Accepted for compatibility.
        """
        recording = self._initialized("exporting chrome trace")
        if not path.endswith(".gz"):
            recording.export_chrome_trace(path, self._metadata)
            return
        with tempfile.NamedTemporaryFile("w+b", suffix=".json") as plain:
            recording.export_chrome_trace(plain.name, self._metadata)
            with open(plain.name, "rb") as source, gzip.open(path, "wb") as target:
                shutil.copyfileobj(source, target)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a text to the trace."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a value, given as JSON, to the trace."""
        self._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Add a value, given as JSON, to the traces of all recordings that begin later."""
        self.preset_metadata[key] = value


class profile(_KinetoProfile):
    """Context manager that records the operators of its block, or of some of its steps.

    Args:
        activities: What to record; only the CPU's operators are recorded.
        schedule: A function that says what to do in a step; see `schedule`.
        on_trace_ready: Called with the profile when a cycle of recording has ended.
        record_shapes: Whether to record the shapes and values of the arguments.
        profile_memory: Whether to record how much memory of the CPU each call allocates.
        with_stack: Whether to record the lines of Python that made each call.
        with_flops: Whether to count the floating-point operations of matrix products, convolutions
            in two dimensions, `add` and `mul`.
        with_modules: Accepted for compatibility.
        experimental_config: A `torch._C._profiler._ExperimentalConfig`; of its settings
            `capture_overload_names` has an effect, on tables.
        execution_trace_observer: Accepted for compatibility.
        acc_events: Whether to keep the events of earlier cycles; otherwise the second cycle
            drops them, with a warning.
        use_cuda: Deprecated; see `activities`.
        custom_trace_id_callback: A function that returns the name of a trace.
        post_processing_timeout_s: Accepted for compatibility.

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
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        if use_cuda is not None:
            warnings.warn(
                "`use_cuda` is deprecated, use `activities` argument instead",
                FutureWarning,
                stacklevel=2,
            )
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer,
            acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
            post_processing_timeout_s=post_processing_timeout_s,
        )
        self.schedule = schedule or _default_schedule_fn
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.step_rec_fn: record_function | None = None
        KinetoStepTracker.init_step_count(PROFILER_STEP_NAME)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    def __del__(self) -> None:
        KinetoStepTracker.erase_step_count(PROFILER_STEP_NAME)

    def start(self) -> None:
        """Begin with the first step."""
        self._enter(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """End the last step."""
        self._end_step()
        self._leave(self.current_action, None)

    def step(self) -> None:
        """End a step and begin the next one."""
        self._end_step()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        self._leave(before, self.current_action)
        self._enter(before, self.current_action)
        KinetoStepTracker.increment_step(PROFILER_STEP_NAME)
        self._begin_step()

    def _leave(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """End a recording that the next step, or the end of the program, does not continue."""
        if before is ProfilerAction.RECORD_AND_SAVE:
            self.stop_trace()
            self._ready()
        elif before is ProfilerAction.RECORD and after in (None, *_NOT_RECORDING):
            self._warn_of_end(before, after)
            self.stop_trace()
            if after is None:
                self._ready()
        elif before is ProfilerAction.WARMUP and after in (None, ProfilerAction.NONE):
            self._warn_of_end(before, after)
            self.start_trace()
            self.stop_trace()

    def _enter(self, before: ProfilerAction, after: ProfilerAction) -> None:
        """Begin what a step does, unless the step before did it."""
        if after is ProfilerAction.NONE or (before is after and before in _LASTING):
            return
        if before in (ProfilerAction.NONE, ProfilerAction.RECORD_AND_SAVE):
            self.prepare_trace()
        if before is not ProfilerAction.RECORD and after is not ProfilerAction.WARMUP:
            self.start_trace()

    def _warn_of_end(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        if after is not None:
            warnings.warn(
                f"Incorrect schedule: {before.name} followed by {after.name}", stacklevel=4
            )

    def _ready(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = record_function(f"{PROFILER_STEP_NAME}#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Set the function that returns the name of a trace."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        """Return the name of the last trace; None before the first."""
        return None if self.profiler is None else self.profiler.trace_id


_NOT_RECORDING = (ProfilerAction.NONE, ProfilerAction.WARMUP)
_LASTING = (ProfilerAction.WARMUP, ProfilerAction.RECORD)


def _warn_of_cycles() -> None:
    """Warn once that the events of a cycle get lost."""
    global _warned_of_cycles
    if not _warned_of_cycles:
        _warned_of_cycles = True
        warnings.warn(
            "Warning: Profiler clears events at the end of each cycle. Only events from the current "
            "cycle will be reported. To keep events across cycles, set acc_events=True.",
            stacklevel=4,
        )
