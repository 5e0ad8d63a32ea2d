"""Profiles as traces for chrome://tracing, Perfetto and programs that read PyTorch's traces."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

from torch.autograd._profiler_calls import Call, Input, Recording
from torch.autograd._profiler_times import stack_lines

# The names of C++ types, by the number of the dtype.
_TYPES = (
    *("unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "float"),
    *("double", "c10::complex<c10::Half>", "c10::complex<float>", "c10::complex<double>", "bool"),
    *("c10::qint8", "c10::quint8", "c10::qint32", "c10::BFloat16"),
)


def write_trace(
    path: str | os.PathLike[str],
    recording: Recording,
    head: dict[str, Any],
    metadata: dict[str, Any],
) -> None:
    """Write what was recorded as a trace.

    Args:
        path: The file.
        recording: The calls and allocations.
        head: The settings of the profile.
        metadata: Values by name that a program adds.
    """
    base = time.time_ns() - time.monotonic_ns()
    base -= base % 1_000_000_000
    trace = _Trace(recording, base)
    contents = {
        "schemaVersion": 1,
        "deviceProperties": [],
        **head,
        "host_name": socket.gethostname(),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": base,
        **metadata,
        "traceEvents": list(trace.events()),
        "traceName": os.fspath(path),
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(contents, file)


class _Trace:
    def __init__(self, recording: Recording, base: int) -> None:
        self.recording = recording
        self.process = os.getpid()
        self.to_wall_clock = time.time_ns() - time.monotonic_ns() - base

    def events(self) -> Iterator[dict[str, Any]]:
        yield from self._names()
        for number, call in enumerate(self.recording.calls):
            yield {
                "ph": "X",
                "cat": "user_annotation" if call.is_block else "cpu_op",
                **self._place(call.name, call.thread, call.begin),
                "dur": (call.end - call.begin) / 1e3,
                "args": self._arguments(number, call),
            }
        yield from self._flows()
        yield from self._memory()
        yield from self._span()

    def _place(self, name: str, thread: int, time_ns: int) -> dict[str, Any]:
        at = (time_ns + self.to_wall_clock) / 1e3
        return {"name": name, "pid": self.process, "tid": thread, "ts": at}

    def _names(self) -> Iterator[dict[str, Any]]:
        start = self.recording.start
        process = os.path.basename(sys.executable) or "python"
        for name, value in (("process_name", {"name": process}), ("process_labels", {"labels": "CPU"})):  # fmt: skip
            yield {"ph": "M", **self._place(name, 0, start), "args": value}
        for thread in sorted({call.thread for call in self.recording.calls}):
            value = {"name": f"thread {thread} ({process})"}
            yield {"ph": "M", **self._place("thread_name", thread, start), "args": value}

    def _arguments(self, number: int, call: Call) -> dict[str, Any]:
        found: dict[str, Any] = {"External id": number + 1}
        if call.sequence_nr >= 0:
            threads = self._forward_threads
            found["Sequence number"] = call.sequence_nr
            found["Fwd thread id"] = threads.get(call.sequence_nr, 0) if call.is_backward else 0
        found["Record function id"] = 0
        if call.inputs:
            found["Concrete Inputs"] = [_value_text(i) for i in call.inputs]
            found["Input type"] = [_type_name(i) for i in call.inputs]
            found["Input Strides"] = [_of_tensors(i, i.strides) for i in call.inputs]
            found["Input Dims"] = [_of_tensors(i, i.sizes) for i in call.inputs]
        if call.frames:
            found["Call stack"] = ";".join(stack_lines(call.frames))
        return {**found, "Ev Idx": number}

    @property
    def _forward_threads(self) -> dict[int, int]:
        if not hasattr(self, "_threads"):
            self._threads = self.recording.forward_threads()
        return self._threads

    def _flows(self) -> Iterator[dict[str, Any]]:
        """Arrows from the calls that created nodes to the nodes' evaluations."""
        forward = self.recording.forward_calls()
        nodes: dict[int, Call] = {}
        for call in self.recording.calls:
            if call.is_backward and call.sequence_nr in forward:
                nodes.setdefault(call.sequence_nr, call)
        for flow, (number, node) in enumerate(nodes.items(), 1):
            shared = {"id": flow, "cat": "fwdbwd"}
            call = forward[number]
            yield {"ph": "s", **shared, **self._place("fwdbwd", call.thread, call.begin)}
            place = self._place("fwdbwd", node.thread, node.begin)
            yield {"ph": "f", **shared, **place, "bp": "e"}

    def _memory(self) -> Iterator[dict[str, Any]]:
        total = 0
        for number, (at, thread, size, address) in enumerate(self.recording.allocations):
            total += size
            yield {
                "ph": "i",
                "cat": "cpu_instant_event",
                "s": "t",
                **self._place("[memory]", thread, at),
                "args": {
                    "Total Reserved": 0,
                    "Total Allocated": total,
                    "Bytes": size,
                    "Device Id": -1,
                    "Device Type": 0,
                    "Addr": address,
                    "Ev Idx": len(self.recording.calls) + number,
                },
            }

    def _span(self) -> Iterator[dict[str, Any]]:
        """Yield the time of the recording as a whole, which ends the trace."""
        start, end = self.recording.start, self.recording.end
        profiler = {"pid": "Spans", "tid": "PyTorch Profiler"}
        name = "PyTorch Profiler (0)"
        span = {**self._place(name, 0, start), **profiler, "dur": (end - start) / 1e3}
        yield {"ph": "X", "cat": "Trace", **span, "args": {"Op count": 0}}
        place = {**self._place("process_sort_index", 0, start), "pid": "Spans"}
        yield {"ph": "M", **place, "args": {"sort_index": 1 << 29}}
        iteration = self._place("Iteration Start: PyTorch Profiler", 0, start)
        yield {"ph": "i", "s": "g", **iteration, "pid": "Traces", "tid": "Trace PyTorch Profiler"}
        yield {
            "ph": "i",
            "s": "g",
            **self._place("Record Window End", 0, end),
            "pid": "",
            "tid": "",
        }


def _of_tensors(argument: Input, values: list[list[int]]) -> list[Any]:
    if argument.is_list:
        return values
    return values[0] if values else []


def _type_name(argument: Input) -> str:
    if argument.is_list:
        return "TensorList"
    if argument.dtypes:
        number = argument.dtypes[0]
        return _TYPES[number] if number < len(_TYPES) else ""
    if argument.is_value:
        return "ScalarList" if isinstance(argument.value, list) else "Scalar"
    return ""


def _value_text(argument: Input) -> str:
    if not argument.is_value:
        return ""
    if isinstance(argument.value, list):
        return f"[{', '.join(map(_number_text, argument.value))}]"
    return _number_text(argument.value)


def _number_text(number: Any) -> str:
    return f"{number:g}." if isinstance(number, float) and number.is_integer() else str(number)
