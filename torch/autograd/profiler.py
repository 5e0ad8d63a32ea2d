"""Record the operators that a block calls, with their times and the shapes of their arguments."""

from __future__ import annotations

import contextlib
import functools
import os
import time
import uuid
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import _C
from torch._C._profiler import _ExperimentalConfig
from torch._published import publish_all as _publish_all
from torch.autograd import _profiled_blocks as _blocks
from torch.autograd._chrome_trace import write_trace
from torch.autograd._profiler_calls import Recording
from torch.autograd._profiler_records import EnforceUnique, KinetoStepTracker, MemRecordsAcc
from torch.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg

__all__ = [
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "emit_itt",
    "emit_nvtx",
    "profile",
    "record_function",
]

_publish_all(globals(), ("EnforceUnique", "KinetoStepTracker", "MemRecordsAcc"))

_is_profiler_enabled = False


class profile(contextlib.ContextDecorator):
    """Context manager that records each operator that its block calls, in all threads it uses.

    The events exist once the block has ended; until then there are none. A profile that begins inside
    another one ends the recording of that one.

    Args:
        enabled: Whether to record at all.
        use_cuda: Deprecated; see `use_device`.
        use_device: A device; only the CPU's operators are recorded.
        record_shapes: Whether to record the shapes and values of the arguments.
        with_flops: Whether to count the floating-point operations of matrix products, convolutions
            in two dimensions, `add` and `mul`.
        profile_memory: Whether to record how much memory of the CPU each call allocates.
        with_stack: Whether to record the lines of Python that made each call.
        with_modules: Accepted for compatibility.
        use_kineto: Accepted for compatibility.
        use_cpu: Whether to record the CPU's operators; False needs `use_kineto`.
        experimental_config: A `torch._C._profiler._ExperimentalConfig`; of its settings
            `capture_overload_names` has an effect, on tables.
        acc_events: Whether a profile of steps keeps the events of earlier cycles.
        custom_trace_id_callback: A function that returns the name of a trace.
        post_processing_timeout_s: Accepted for compatibility.
        activity_filters: Accepted for compatibility.

    Raises:
        RuntimeError: If a profile is entered again.

    Example:
        >>> x = torch.ones(2, 3, requires_grad=True)
        >>> with torch.autograd.profiler.profile(record_shapes=True) as profile:
        ...     (x * 2).sum().backward()
        >>> [event.input_shapes[:2] for event in profile.function_events if event.name == "aten::mul"][0]
        [[2, 3], []]
        >>> table = profile.key_averages().table(sort_by="self_cpu_time_total")
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        self.entered = False
        self.use_cuda = use_cuda
        self.record_shapes = record_shapes or with_flops
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_cpu = use_cpu
        self.acc_events = acc_events
        self.experimental_config = experimental_config or _ExperimentalConfig()
        self.custom_trace_id_callback = custom_trace_id_callback
        self.trace_id = ""
        self.use_device = _usable_device("cuda" if use_cuda else use_device, use_cuda)
        if enabled and not (use_cpu or use_kineto):
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self._recording: Recording | None = None
        self._events = EventList([], profile_memory=profile_memory, with_flops=with_flops)

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._start_trace()
        return self

    def _start_trace(self) -> None:
        if _blocks.running is not None:
            _C._stop_profiling_operators()
        _C._start_profiling_operators(
            self.record_shapes, self.profile_memory, self.with_stack, self.with_flops
        )
        self.trace_id = self.create_trace_id()
        self._start = time.monotonic_ns()
        _set_running(self)

    def __exit__(self, *error: Any) -> bool:
        if not self.enabled:
            return False
        if _blocks.running is not self:
            warnings.warn(
                "The profile has no events, as another one began before it ended", stacklevel=2
            )
            return False
        _set_running(None)
        self._recording = Recording(self._start, *_C._stop_profiling_operators())
        earlier = list(self._events) if self.acc_events else []
        self._events = self._recording.events(
            use_device=self.use_device,
            profile_memory=self.profile_memory,
            with_flops=self.with_flops,
        )
        self._events[:0] = earlier
        self._events._shows_overloads = self.experimental_config.capture_overload_names
        return False

    def create_trace_id(self) -> str:
        """Return the name of the next trace."""
        callback = self.custom_trace_id_callback
        return callback() if callback is not None else self.default_trace_id()

    def default_trace_id(self) -> str:
        """Return a name that no other trace has."""
        return uuid.uuid4().hex.upper()

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        """Stop recording inside the block, or go on with it.

        Args:
            enabled: Whether to record from here on.
            activities: What this is about; only the activity CPU has an effect.

        Example:
            >>> from torch.profiler import ProfilerActivity
            >>> with torch.autograd.profiler.profile() as profile:
            ...     profile.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
            ...     result = torch.ones(2)
            >>> len(profile.function_events)
            0
        """
        if _blocks.running is self and any(activity.name == "CPU" for activity in activities):
            _C._pause_profiling_operators(not enabled)

    @property
    def function_events(self) -> EventList:
        """The events; none before the block has ended."""
        return self._events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return the averages of the events; see `EventList.key_averages`."""
        return self.function_events.key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self) -> FunctionEventAvg:
        """Return one average of all events."""
        return self.function_events.total_average()

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """Return the events as a table; see `EventList.table`."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def export_chrome_trace(
        self,
        path: str | os.PathLike[str],
        metadata: dict[str, Any] | None = None,
        use_python_export: bool = False,
    ) -> None:
        """Write the events as a trace for chrome://tracing and Perfetto.

        Args:
            path: The file.
            metadata: Values by name that the trace holds, too.
            use_python_export: Accepted for compatibility.
        """
        if self._recording is None:
            raise AssertionError("The profile has no trace before its block has ended")
        settings = ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")
        head = {"trace_id": self.trace_id, **{n: 1 for n in settings if getattr(self, n)}}
        write_trace(path, self._recording, head, metadata or {})

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write the stacks with their times; see `EventList.export_stacks`."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each counted once, in microseconds."""
        return self.function_events.self_cpu_time_total

    def __repr__(self) -> str:
        return (
            "<unfinished torch.autograd.profile>" if self._recording is None else repr(self._events)
        )

    def __str__(self) -> str:
        return repr(self) if self._recording is None else str(self._events)


def _usable_device(device: str | None, use_cuda: bool) -> str | None:
    """Return a device to profile, or None, with a warning, if there is no such device."""
    if use_cuda:
        warnings.warn(
            "The attribute `use_cuda` will be deprecated soon, "
            "please use ``use_device = 'cuda'`` instead.",
            FutureWarning,
            stacklevel=3,
        )
    if device is None:
        return None
    if device not in ("cuda", "xpu", "mtia", "hpu", "privateuseone"):
        warnings.warn(f"The {device} is not a valid device option.", stacklevel=3)
        return None
    if device == "cuda" and not torch.cuda.is_available():
        warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=3)
        return None
    return device


def _set_running(running: profile | None) -> None:
    global _is_profiler_enabled
    _blocks.running = running
    _is_profiler_enabled = running is not None


class record_function(contextlib.ContextDecorator):
    """Context manager and decorator that makes its block an event of a running profile.

    Args:
        name: The name of the event.
        args: Accepted for compatibility.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     with torch.autograd.profiler.record_function("my block"):
        ...         result = torch.ones(2) + 1
        >>> [event.name for event in profile.function_events][0]
        'my block'
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self.run_callbacks_on_exit = True

    def __enter__(self) -> record_function:
        self._profile = _blocks.running
        if _blocks.running is not None:
            _C._begin_profiled_block(self.name)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._profile is not None and self._profile is _blocks.running:
            _C._end_profiled_block()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose calls are events."""

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return recorded


class emit_nvtx:
    """Context manager that would mark operators for NVIDIA's profilers, which this build cannot.

    Args:
        enabled: Whether to mark at all.
        record_shapes: Accepted for compatibility.

    Raises:
        RuntimeError: On entry, if `enabled` is true.

    Example:
        >>> with torch.autograd.profiler.emit_nvtx(enabled=False):
        ...     pass
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> emit_nvtx:
        if self.enabled:
            raise RuntimeError(f"{type(self).__name__} is not available in this build")
        return self

    def __exit__(self, *error: Any) -> None:
        pass


class emit_itt(emit_nvtx):
    """Context manager that would mark operators for Intel's profilers, which this build cannot.

    Example:
        >>> with torch.autograd.profiler.emit_itt(enabled=False):
        ...     pass
    """
