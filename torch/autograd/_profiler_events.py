"""The events of a profile, and averages of them. This module must not know how events are recorded."""

from __future__ import annotations

from typing import Any

from torch._published import publish_all as _publish_all
from torch.autograd._profiler_times import DeviceType, FormattedTimesMixin, Interval, Kernel


class FunctionEvent(FormattedTimesMixin):
    """A call of an operator, or a block of `record_function`.

    Args:
        id: The number of the event in its profile.
        name: The operator's or the block's name.
        thread: The number of the thread that made the call.
        start_us: When the call began, in microseconds from the beginning of the profile.
        end_us: When it ended.

    The other arguments become attributes of these names.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2) + 1
        >>> "aten::add" in {event.name for event in profile.function_events}
        True
    """

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: list[Any] | None = None,
        stack: list[str] | None = None,
        scope: int = 0,
        use_device: str | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_async: bool = False,
        is_remote: bool = False,
        sequence_nr: int = -1,
        node_id: int = -1,
        device_type: DeviceType = DeviceType.CPU,
        device_index: int = 0,
        device_resource_id: int | None = None,
        is_legacy: bool = False,
        flops: int | None = None,
        trace_name: str | None = None,
        concrete_inputs: list[Any] | None = None,
        kwinputs: dict[str, Any] | None = None,
        is_user_annotation: bool = False,
    ) -> None:
        self.id = id
        self.node_id = node_id
        self.name = name
        self.overload_name = overload_name
        self.trace_name = trace_name
        self.time_range = Interval(start_us, end_us)
        self.thread = thread
        self.fwd_thread = fwd_thread
        self.kernels: list[Kernel] = []
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.input_shapes = input_shapes
        self.concrete_inputs = concrete_inputs
        self.kwinputs = kwinputs
        self.stack = stack
        self.scope = scope
        self.use_device = use_device
        self.cpu_memory_usage = cpu_memory_usage
        self.device_memory_usage = device_memory_usage
        self.is_async, self.is_remote, self.is_legacy = is_async, is_remote, is_legacy
        self.sequence_nr = sequence_nr
        self.device_type = device_type
        self.device_index = device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.flops = flops
        self.is_user_annotation = is_user_annotation

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Add a kernel of a device that this call started."""
        self._check_device(DeviceType.CPU)
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add a call that this one made."""
        self._check_device(DeviceType.CPU)
        child._check_device(DeviceType.CPU)
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Set the call that made this one."""
        self._check_device(DeviceType.CPU)
        parent._check_device(DeviceType.CPU)
        self.cpu_parent = parent

    def _check_device(self, expected: DeviceType) -> None:
        if self.device_type != expected:
            raise AssertionError(f"Expected device_type {expected}, but got {self.device_type}")

    @property
    def key(self) -> str:
        """The name, by which events are averaged."""
        return self.name

    @property
    def _on_cpu(self) -> bool:
        return self.device_type == DeviceType.CPU

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """The time of the call."""
        return self.time_range.elapsed_us() if self._on_cpu else 0

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """The time outside the calls that this one made."""
        if self.is_async or not self._on_cpu:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:  # type: ignore[override]
        """The bytes allocated outside the calls that this one made, less those released there."""
        if self.is_async or not self._on_cpu:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """The same for the memory of the device."""
        children = sum(child.device_memory_usage for child in self.cpu_children)
        return self.device_memory_usage - children

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        """The time of the kernels that this call and its calls started."""
        if self.is_async or not self.use_device:
            return 0
        if not self._on_cpu:
            return self.time_range.elapsed_us()
        kernels = sum(kernel.duration for kernel in self.kernels)
        return kernels + sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:  # type: ignore[override]
        """The time of the kernels that this call itself started."""
        children = sum(child.device_time_total for child in self.cpu_children)
        return self.device_time_total - children

    @property
    def cuda_time_total(self) -> float:
        """The older name of `device_time_total`."""
        return self.device_time_total

    @property
    def self_cuda_time_total(self) -> float:
        """The older name of `self_device_time_total`."""
        return self.self_device_time_total

    @property
    def self_cuda_memory_usage(self) -> int:
        """The older name of `self_device_memory_usage`."""
        return self.self_device_memory_usage

    def __repr__(self) -> str:
        device = self.use_device
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} "
            f"{device}_time={self.device_time_str} name={self.name} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage} is_async={self.is_async} "
            f"is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


# What an average takes from its first event.
_SHARED = (
    *("key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name"),
    *("input_shapes", "stack", "scope", "device_type", "is_legacy", "use_device"),
    "is_user_annotation",
)
# What it adds up.
_SUMS = (
    *("cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total"),
    *("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage"),
    *("self_device_memory_usage", "count"),
)


class FunctionEventAvg(FormattedTimesMixin):
    """The events of one name together.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2) + 1
        >>> [row.count for row in profile.key_averages() if row.key == "aten::add"]
        [1]
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.node_id = 0
        self.is_async = self.is_remote = self.is_legacy = False
        self.use_device: str | None = None
        self.cpu_time_total: float = 0
        self.device_time_total: float = 0
        self.self_cpu_time_total: float = 0
        self.self_device_time_total: float = 0
        self.input_shapes: Any = None
        self.overload_name: str | None = None
        self.stack: list[str] | None = None
        self.scope: int | None = None
        self.cpu_memory_usage = self.device_memory_usage = 0
        self.self_cpu_memory_usage = self.self_device_memory_usage = 0
        self.cpu_children: list[FunctionEvent] | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.device_type = DeviceType.CPU
        self.flops = 0

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or other averages, and return this object.

        Raises:
            AssertionError: For an event of another name.
        """
        if self.key is None:
            for name in _SHARED:
                setattr(self, name, getattr(other, name, None))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    def __iadd__(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        return self.add(other)

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


def publish(namespace: dict[str, Any]) -> None:
    """Let the classes report the module whose namespace this is, where programs know them."""
    classes = ("DeviceType", "FormattedTimesMixin", "FunctionEvent", "FunctionEventAvg", "Interval")
    _publish_all(namespace, (*classes, "Kernel"))
