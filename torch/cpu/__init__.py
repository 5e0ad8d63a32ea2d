"""The CPU as a device module, such as torch.cuda: one device that does its work at once."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from torch import _C
from torch._lazy_attributes import import_at_use as _import_at_use

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "device_count",
    "get_capabilities",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


__getattr__ = _import_at_use(__name__)


def is_available() -> bool:
    """Return True: there is always a CPU.

    Example:
        >>> torch.cpu.is_available()
        True
    """
    return True


def is_initialized() -> bool:
    """Return True: the CPU needs no initialization.

    Example:
        >>> torch.cpu.is_initialized()
        True
    """
    return True


def device_count() -> int:
    """Return 1: all cores together are one device.

    Example:
        >>> torch.cpu.device_count()
        1
    """
    return 1


def current_device() -> str:
    """Return "cpu".

    Example:
        >>> torch.cpu.current_device()
        'cpu'
    """
    return "cpu"


def set_device(device: object) -> None:
    """Do nothing, as there is only one device.

    Example:
        >>> torch.cpu.set_device("cpu")
    """


def synchronize(device: object = None) -> None:
    """Do nothing, as functions return when their work on the CPU is done.

    Example:
        >>> torch.cpu.synchronize()
    """


@cache
def _cpu_flags() -> frozenset[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            lines = (line for line in info if line.startswith(("flags", "Features")))
            return frozenset(next(lines, ":").partition(":")[2].split())
    except OSError:
        return frozenset()


# PyTorch's names of instruction sets, where Linux has others.
_LINUX_FLAGS = {
    "amx_fp16": "amx_fp16",
    "amx_tile": "amx_tile",
    "amx_int8": "amx_int8",
    "amx_bf16": "amx_bf16",
    "avx512_f": "avx512f",
    "avx512_bw": "avx512bw",
    "avx512_cd": "avx512cd",
    "avx512_dq": "avx512dq",
    "avx512_vl": "avx512vl",
    "avx512_ifma": "avx512ifma",
    "avx512_vbmi": "avx512vbmi",
    "fma3": "fma",
    "lzcnt": "abm",
    "sha": "sha_ni",
    "sse3": "pni",
    **{
        name: name
        for name in [
            "aes",
            "avx",
            "avx2",
            "avx512_4fmaps",
            "avx512_4vnniw",
            "avx512_bf16",
            "avx512_bitalg",
            "avx512_fp16",
            "avx512_vbmi2",
            "avx512_vnni",
            "avx512_vp2intersect",
            "avx512_vpopcntdq",
            "avx_vnni",
            "bmi",
            "bmi2",
            "clflush",
            "clflushopt",
            "clwb",
            "f16c",
            "fma4",
            "popcnt",
            "sse",
            "sse2",
            "sse4_1",
            "sse4_2",
            "sse4a",
            "ssse3",
        ]
    },
}


def get_capabilities() -> dict[str, object]:
    """Return which instruction sets the processor has, by name, and its architecture.

    Example:
        >>> "architecture" in torch.cpu.get_capabilities()
        True
    """
    import os
    import platform

    flags = _cpu_flags()
    found: dict[str, object] = {name: flag in flags for name, flag in _LINUX_FLAGS.items()}
    found["architecture"] = platform.machine()
    found["num_logical_cores"] = os.cpu_count() or 1
    return found


def _is_avx2_supported() -> bool:
    return "avx2" in _cpu_flags()


def _is_avx512_supported() -> bool:
    return {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= _cpu_flags()


def _is_avx512_bf16_supported() -> bool:
    return "avx512_bf16" in _cpu_flags()


def _is_vnni_supported() -> bool:
    return "avx512_vnni" in _cpu_flags()


def _is_amx_tile_supported() -> bool:
    return "amx_tile" in _cpu_flags()


def _is_amx_fp16_supported() -> bool:
    return "amx_fp16" in _cpu_flags()


def _init_amx() -> bool:
    return _is_amx_tile_supported()


class Stream:
    """The queue of work of the CPU, which is always empty.

    Example:
        >>> torch.cpu.Stream().wait_stream(torch.cpu.Stream())
    """

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: object) -> None:
        """Do nothing."""

    def record_event(self) -> None:
        """Do nothing."""

    def wait_event(self, event: object) -> None:
        """Do nothing."""


class Event:
    """A point in the work of the CPU, which has always passed.

    Example:
        >>> torch.cpu.Event().query()
        True
    """

    def query(self) -> bool:
        """Return True."""
        return True

    def record(self, stream: object = None) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""

    def wait(self, stream: object = None) -> None:
        """Do nothing."""


_default_stream = Stream()
_current_stream = _default_stream


def current_stream(device: object = None) -> Stream:
    """Return the current stream.

    Example:
        >>> isinstance(torch.cpu.current_stream(), torch.cpu.Stream)
        True
    """
    return _current_stream


class StreamContext(AbstractContextManager):  # type: ignore[type-arg]
    """Context manager that makes a stream current.

    Example:
        >>> stream = torch.cpu.Stream()
        >>> with torch.cpu.StreamContext(stream):
        ...     torch.cpu.current_stream() is stream
        True
    """

    cur_stream: Stream | None

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self._previous = _default_stream

    def __enter__(self) -> None:
        global _current_stream
        if self.stream is not None:
            self._previous, _current_stream = _current_stream, self.stream

    def __exit__(self, *error: object) -> None:
        global _current_stream
        if self.stream is not None:
            _current_stream = self._previous


def stream(stream: Stream | None) -> StreamContext:
    """Return a context manager that makes a stream current.

    Example:
        >>> with torch.cpu.stream(torch.cpu.Stream()):
        ...     pass
    """
    return StreamContext(stream)
