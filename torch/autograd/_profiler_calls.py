"""The calls that the C++ profiler recorded, and the events made of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from torch.autograd._profiler_times import stack_lines
from torch.autograd.profiler_util import EventList, FunctionEvent

_BACKWARD_SCOPE, _USER_SCOPE = 1, 7
_TENSOR, _TENSOR_LIST, _VALUE = 0, 1, 2
_ENGINE_PREFIX = "autograd::engine::evaluate_function: "


class Input(NamedTuple):
    """An argument of a call: its kind, the properties of its tensors, or its value."""

    kind: int
    dtypes: list[int]
    sizes: list[list[int]]
    strides: list[list[int]]
    value: Any

    @property
    def is_list(self) -> bool:
        """Whether the argument is a list of tensors."""
        return self.kind == _TENSOR_LIST

    @property
    def shape(self) -> list[int]:
        """The sizes of a tensor, [] for other arguments."""
        return self.sizes[0] if self.kind == _TENSOR else []

    @property
    def is_value(self) -> bool:
        """Whether the argument is a number or a list of numbers."""
        return self.kind == _VALUE


class Call(NamedTuple):
    """A call, a node of the backward pass or a block; the times are in nanoseconds."""

    name: str
    overload: str
    begin: int
    end: int
    thread: int
    inputs: list[Input]
    frames: list[tuple[Any, int]] | None
    scope: int
    flops: int
    sequence_nr: int

    @property
    def is_backward(self) -> bool:
        """Whether the engine ran a node, or prepared it."""
        return self.scope == _BACKWARD_SCOPE or self.name.startswith(_ENGINE_PREFIX)

    @property
    def is_block(self) -> bool:
        """Whether this is a block of `record_function`."""
        return self.scope == _USER_SCOPE


class Allocation(NamedTuple):
    """Memory that a thread allocated or, if the number of bytes is negative, released."""

    time: int
    thread: int
    bytes: int
    address: int


class Recording:
    """What a profile recorded.

    Args:
        start: The beginning, in nanoseconds of the monotonic clock.
        calls: The calls as the C++ profiler returns them.
        allocations: The allocations, too.
    """

    def __init__(
        self,
        start: int = 0,
        calls: Iterable[tuple[Any, ...]] = (),
        allocations: Iterable[tuple[int, int, int, int]] = (),
    ) -> None:
        self.start = start
        found = [Call(*row)._replace(inputs=[Input(*i) for i in row[5]]) for row in calls]
        self.calls = sorted(found, key=lambda call: (call.begin, -call.end))
        self.end = max((call.end for call in self.calls), default=start)
        self.allocations = sorted(Allocation(*row) for row in allocations)

    def since_start(self, time_ns: int) -> float:
        """Return a time in microseconds from the beginning."""
        return (time_ns - self.start) / 1e3

    def forward_threads(self) -> dict[int, int]:
        """Return the thread of the call that created each node, by the node's number."""
        return {number: call.thread for number, call in self.forward_calls().items()}

    def forward_calls(self) -> dict[int, Call]:
        """Return the innermost call that created each node, by the node's number."""
        return {
            call.sequence_nr: call
            for call in self.calls
            if call.sequence_nr >= 0 and not call.is_backward
        }

    def events(self, **options: Any) -> EventList:
        """Return the events: the calls with their callers, and allocations outside all calls."""
        threads = self.forward_threads()
        found = EventList(
            (self._event(number, call, threads) for number, call in enumerate(self.calls, 1)),
            **options,
        )
        _link(found)
        _count_flops_once(found)
        _add_allocations(found, [a._replace(time=self.since_start(a.time)) for a in self.allocations])  # type: ignore[arg-type]  # fmt: skip
        return found

    def _event(self, number: int, call: Call, threads: dict[int, int]) -> FunctionEvent:
        is_step = call.is_block and call.name.startswith("ProfilerStep#")
        return FunctionEvent(
            number,
            "ProfilerStep*" if is_step else call.name,
            call.thread,
            self.since_start(call.begin),
            self.since_start(call.end),
            overload_name=call.overload,
            fwd_thread=threads.get(call.sequence_nr, 0) if call.is_backward else 0,
            input_shapes=[i.shape for i in call.inputs],
            stack=stack_lines(call.frames or ()),
            scope=call.scope,
            sequence_nr=call.sequence_nr,
            flops=call.flops,
            trace_name=call.name,
            concrete_inputs=[i.value for i in call.inputs],
            kwinputs={},
            is_user_annotation=call.is_block,
        )


def _by_thread(events: EventList) -> dict[int, list[FunctionEvent]]:
    found: dict[int, list[FunctionEvent]] = {}
    for event in events:  # in the order of their beginnings
        found.setdefault(event.thread, []).append(event)
    return found


def _link(events: EventList) -> None:
    """Find out which call made which, from their times."""
    for calls in _by_thread(events).values():
        open_calls: list[FunctionEvent] = []
        for event in calls:
            while open_calls and open_calls[-1].time_range.end < event.time_range.end:
                open_calls.pop()
            if open_calls:
                open_calls[-1].append_cpu_child(event)
                event.set_cpu_parent(open_calls[-1])
            open_calls.append(event)


def _count_flops_once(events: EventList) -> None:
    """Count no operations in calls that a call made whose operations are counted."""
    for event in events:
        parent = event.cpu_parent
        while parent is not None and not parent.flops:
            parent = parent.cpu_parent
        if parent is not None:
            event.flops = 0


def _add_allocations(events: EventList, allocations: list[Allocation]) -> None:
    """Add allocations, by their time in microseconds, to the calls around them.

    An allocation outside all calls becomes an event of its own with the name "[memory]".
    """
    waiting = {thread: calls[::-1] for thread, calls in _by_thread(events).items()}
    open_calls: dict[int, list[FunctionEvent]] = {thread: [] for thread in waiting}
    for time, thread, size, _ in allocations:
        around, coming = open_calls.get(thread, []), waiting.get(thread, [])
        while coming and coming[-1].time_range.start <= time:
            around.append(coming.pop())
        around[:] = [event for event in around if event.time_range.end >= time]
        for event in around:
            event.cpu_memory_usage += size
        if not around:
            events.append(_memory_event(len(events) + 1, time, thread, size))


def _memory_event(number: int, time: float, thread: int, size: int) -> FunctionEvent:
    return FunctionEvent(
        number,
        "[memory]",
        thread,
        time,
        time,
        overload_name="",
        fwd_thread=0,
        input_shapes=[],
        stack=[],
        flops=0,
        trace_name="[memory]",
        concrete_inputs=[],
        kwinputs={},
        cpu_memory_usage=size,
    )
