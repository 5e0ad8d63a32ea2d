"""torch._C._profiler: the settings of profiles."""

from __future__ import annotations

from enum import Enum
from typing import Any

__all__ = ["ProfilerActivity", "RecordScope", "_ExperimentalConfig"]


class _ExperimentalConfig:
    """Settings of PyTorch's profiler that depend on its way of recording.

    `capture_overload_names` shows the names of overloads in tables; the others have no effect.
    """

    def __init__(
        self,
        profiler_metrics: Any = (),
        profiler_measure_per_kernel: bool = False,
        verbose: bool = False,
        performance_events: Any = (),
        enable_cuda_sync_events: bool = False,
        adjust_profiler_step: bool = False,
        disable_external_correlation: bool = False,
        profile_all_threads: bool = False,
        capture_overload_names: bool = False,
        record_python_gc_info: bool = False,
        expose_kineto_event_metadata: bool = False,
        custom_profiler_config: str = "",
        adjust_timestamps: bool = False,
        trace_only: bool = False,
    ) -> None:
        self.verbose = verbose
        self.capture_overload_names = capture_overload_names
        self.custom_profiler_config = custom_profiler_config
        self.trace_only = trace_only


class ProfilerActivity(Enum):
    """The activities that a profile records. This build records the operators of the CPU.

    Example:
        >>> torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
        True
    """

    CPU = 0
    XPU = 1
    MTIA = 4
    CUDA = 2
    HPU = 3
    PrivateUse1 = 5

    def __int__(self) -> int:
        return self.value

    __index__ = __int__


class RecordScope(Enum):
    """What an event of a profile is.

    Example:
        >>> torch.profiler.RecordScope.USER_SCOPE.value
        7
    """

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    TORCHSCRIPT_FUNCTION = 2
    KERNEL_FUNCTION_DTYPE = 3
    CUSTOM_CLASS = 4
    BUILD_FEATURE = 5
    LITE_INTERPRETER = 6
    USER_SCOPE = 7
    STATIC_RUNTIME_OP = 8
    STATIC_RUNTIME_MODEL = 9
