"""Devices, time spans and times as text, for the events of profiles."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import Any, NamedTuple

from torch.autograd._profiler_table import format_memory, format_time


class DeviceType(IntEnum):
    """The kind of device that an event ran on.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2)
        >>> profile.function_events[0].device_type == torch.autograd.DeviceType.CPU
        True
    """

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20

    __str__ = Enum.__str__  # "DeviceType.CPU", not "0"


def stack_lines(frames: Iterable[tuple[Any, int]]) -> list[str]:
    """Return frames, given as code objects with lines, as text: "torch/nn/linear.py(7): forward"."""
    return [f"{_short_path(code.co_filename)}({line}): {code.co_name}" for code, line in frames]


@functools.cache
def _short_path(path: str) -> str:
    """Return a path without the entry of sys.path that it is in."""
    roots = [entry.rstrip(os.sep) + os.sep for entry in sys.path if entry]
    inside = [root for root in roots if path.startswith(root)]
    return path[len(max(inside, key=len)) :] if inside else path


class Interval:
    """A time span in microseconds.

    Example:
        >>> from torch.autograd.profiler_util import Interval
        >>> Interval(2, 5).elapsed_us()
        3
    """

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return the length."""
        return self.end - self.start


class Kernel(NamedTuple):
    """A kernel of a device that a call started, with its time in microseconds.

    Example:
        >>> from torch.autograd.profiler_util import Kernel
        >>> Kernel("gemm", 0, 12.5).duration
        12.5
    """

    name: str
    device: int
    duration: float


class FormattedTimesMixin:
    """The times of an event or an average as text.

    Example:
        >>> from torch.autograd.profiler_util import FunctionEvent
        >>> FunctionEvent(0, "block", 1, 0, 1500).cpu_time_str
        '1.500ms'
    """

    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    count: int

    @property
    def cpu_time(self) -> float:
        """The mean time of a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """The mean time of a call on the device."""
        return self.device_time_total / self.count if self.count else 0.0

    @property
    def cuda_time(self) -> float:
        """The older name of `device_time`."""
        return self.device_time

    @property
    def cpu_time_str(self) -> str:
        """The mean time of a call, as text."""
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The time of all calls, as text."""
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The time outside the calls that these calls made, as text."""
        return format_time(self.self_cpu_time_total)

    @property
    def device_time_str(self) -> str:
        """The mean time of a call on the device, as text."""
        return format_time(self.device_time)

    @property
    def device_time_total_str(self) -> str:
        """The time of all calls on the device, as text."""
        return format_time(self.device_time_total)

    @property
    def self_device_time_total_str(self) -> str:
        """The time of these calls alone on the device, as text."""
        return format_time(self.self_device_time_total)

    @property
    def cpu_memory_str(self) -> str:
        """The bytes that the calls allocated, less those that they released, as text."""
        return format_memory(self.cpu_memory_usage)

    @property
    def self_cpu_memory_str(self) -> str:
        """The same without the calls that these calls made, as text."""
        return format_memory(self.self_cpu_memory_usage)
