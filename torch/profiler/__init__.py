"""Profile a program: which operators it calls, how often, and for how long."""

from __future__ import annotations

from torch._C._profiler import ProfilerActivity, RecordScope
from torch._lazy_attributes import import_at_use as _import_at_use
from torch.autograd.profiler import KinetoStepTracker, record_function
from torch.autograd.profiler_util import DeviceType
from torch.profiler.profiler import (
    ProfilerAction,
    _KinetoProfile,
    kineto_available,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "DeviceType",
    "KinetoStepTracker",
    "ProfilerAction",
    "ProfilerActivity",
    "RecordScope",
    "_KinetoProfile",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

__getattr__ = _import_at_use(__name__)
