"""Streams, the queues of work of a CUDA device, and events, points in that work."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.cuda import _lazy
from torch.cuda._devices import Device, _get_device_index

_HAS_STREAMS = hasattr(_C, "_CudaStreamBase")


class _NoStream:
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class _NoEvent:
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("Tried to instantiate dummy base class Event")


_StreamBase: Any = _C._CudaStreamBase if _HAS_STREAMS else _NoStream
_EventBase: Any = _C._CudaEventBase if _HAS_STREAMS else _NoEvent


class Stream(_StreamBase):
    """A queue of work on a device. Work of different streams is not ordered.

    Args:
        device: The CUDA device; the current one if None.
        priority: Lower numbers come first: -1 for a stream of high priority, 0 for others.

    Example:
        >>> stream = torch.cuda.Stream()  # doctest: +SKIP
        >>> with torch.cuda.stream(stream):  # doctest: +SKIP
        ...     y = x * 2
    """

    def __new__(cls, device: Device = None, priority: int = 0, **kwargs: Any) -> Any:  # noqa: D102
        if not _HAS_STREAMS:
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        if device is None or ("stream_id" in kwargs and "device_index" in kwargs):
            return super().__new__(cls, priority=priority, **kwargs)
        with torch.cuda.device(device):
            return super().__new__(cls, priority=priority, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def wait_event(self, event: Event) -> None:
        """Make future work of this stream wait for an event."""
        event.wait(self)

    def wait_stream(self, stream: Any) -> None:
        """Make future work of this stream wait for the work that another one has now."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, by default a new one, after the work that the stream has now."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    @property
    def _as_parameter_(self) -> Any:
        import ctypes

        return ctypes.c_void_p(self.cuda_stream)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and super().__eq__(other) is True

    def __hash__(self) -> int:
        return hash((self.cuda_stream, self.device))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream that another library made, and that it keeps alive.

    Args:
        stream_ptr: The cudaStream_t as a number.
        device: The CUDA device of the stream.

    Example:
        >>> torch.cuda.ExternalStream(handle, device=0)  # doctest: +SKIP
    """

    def __new__(cls, stream_ptr: int, device: Device = None, **kwargs: Any) -> Any:  # noqa: D102
        if not _HAS_STREAMS:
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        with torch.cuda.device(device):
            return _StreamBase.__new__(cls, stream_ptr=stream_ptr, **kwargs)


class Event(_EventBase):
    """A point in the work of a stream, which others can wait for, and which may measure time.

    Args:
        enable_timing: Whether `elapsed_time` works with it.
        blocking: Whether a thread that waits for it sleeps.
        interprocess: Whether other processes may open it, which excludes `enable_timing`.
        external: Whether a capture of a graph makes it a node, so that every launch of the graph
            records it or waits for it.

    Example:
        >>> start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(
        ...     enable_timing=True
        ... )  # doctest: +SKIP
        >>> start.record(); y = x @ x; end.record()  # doctest: +SKIP
        >>> end.synchronize()  # doctest: +SKIP
        >>> start.elapsed_time(end)  # doctest: +SKIP
        0.53
    """

    def __new__(  # noqa: D102
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> Any:
        return super().__new__(
            cls,
            enable_timing=enable_timing,
            blocking=blocking,
            interprocess=interprocess,
            external=external,
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def record(self, stream: Any = None) -> None:
        """Mark the end of the work that a stream has now; the current stream if None."""
        super().record(current_stream() if stream is None else stream)

    def wait(self, stream: Any = None) -> None:
        """Make future work of a stream wait for the event; the current stream if None."""
        super().wait(current_stream() if stream is None else stream)

    def ipc_handle(self) -> bytes:
        """Return 64 bytes by which another process opens the event; it needs `interprocess`.

        An event that was not recorded yet belongs to the current device from now on.

        Raises:
            RuntimeError: If the event was made without `interprocess`.
        """
        return super().ipc_handle()

    @classmethod
    def from_ipc_handle(cls, device: Device, handle: bytes) -> Event:
        """Return the event of another process.

        Args:
            device: The CUDA device of the event.
            handle: What `ipc_handle` returned in the other process.

        Raises:
            RuntimeError: If this is no such handle.
        """
        return super().from_ipc_handle(_get_device_index(device, optional=True), handle)

    @property
    def _as_parameter_(self) -> Any:
        import ctypes

        return ctypes.c_void_p(self.cuda_event)

    def __repr__(self) -> str:
        if self.cuda_event:
            return f"<torch.cuda.Event {self.cuda_event:#x}>"
        return "<torch.cuda.Event uninitialized>"


def _from_numbers(numbers: tuple[int, int, int]) -> Stream:
    identity, index, kind = numbers
    return Stream(stream_id=identity, device_index=index, device_type=kind)


def current_stream(device: Device = None) -> Stream:
    """Return the stream that gets this thread's work on a device.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.current_stream()  # doctest: +SKIP
        <torch.cuda.Stream device=cuda:0 cuda_stream=0x0>
    """
    _lazy.lazy_init()
    return _from_numbers(_C._cuda_getCurrentStream(_get_device_index(device, optional=True)))


def default_stream(device: Device = None) -> Stream:
    """Return the stream that gets the work on a device unless another one is made current.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.default_stream()  # doctest: +SKIP
        <torch.cuda.Stream device=cuda:0 cuda_stream=0x0>
    """
    _lazy.lazy_init()
    return _from_numbers(_C._cuda_getDefaultStream(_get_device_index(device, optional=True)))


def get_stream_from_external(data_ptr: int, device: Device = None) -> Stream:
    """Return a stream that another library made, and that it keeps alive.

    Args:
        data_ptr: The cudaStream_t as a number.
        device: The CUDA device of the stream; the current one if None.

    Example:
        >>> torch.cuda.get_stream_from_external(handle)  # doctest: +SKIP
    """
    _lazy.lazy_init()
    index = _get_device_index(device, optional=True)
    return _from_numbers(_C._cuda_getStreamFromExternal(data_ptr, index))


def set_stream(stream: Stream | None) -> None:
    """Make a stream, and its device, current in this thread; None changes nothing.

    Example:
        >>> torch.cuda.set_stream(None)
    """
    if stream is not None:
        _C._cuda_setStream(
            stream_id=stream.stream_id,
            device_index=stream.device_index,
            device_type=stream.device_type,
        )


class StreamContext:
    """Context manager that makes a stream current; with None it does nothing.

    Example:
        >>> with torch.cuda.StreamContext(None):
        ...     pass
    """

    cur_stream: Stream | None

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self._before: list[tuple[Stream, Stream]] = []

    def __enter__(self) -> None:
        stream = self.stream
        if stream is None or not _lazy.is_compiled():
            return
        # The stream before on its own device is kept too: it may not be the current device.
        self._before.append((current_stream(), current_stream(stream.device)))
        set_stream(stream)

    def __exit__(self, *error: object) -> None:
        if not self._before:
            return
        current, on_device = self._before.pop()
        set_stream(on_device)
        set_stream(current)


def stream(stream: Stream | None) -> StreamContext:
    """Return a context manager that makes a stream current.

    Args:
        stream: The stream; with None the context manager does nothing.

    Example:
        >>> with torch.cuda.stream(None):
        ...     pass
    """
    return StreamContext(stream)
