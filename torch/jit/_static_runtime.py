"""Run a recorded graph with all memory planned before: operators write into memory that is reused.

A call of a module with example inputs records its operators. Those that have an out= variant get
memory for their results from one block, in which results that are never needed at the same time
overlap. The other operators, and the results of the module, get memory of their own in each call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import Node, map_arg
from torch.storage import UntypedStorage

_ALIGNMENT = 64
"""The alignment of each result in the block, in bytes."""
_KERNELS: frozenset[str] = getattr(torch._C, "_static_kernel_names", frozenset)()
"""The operators that a build with BUILD_STATIC_RUNTIME computes in one call of a generated kernel."""


class Step(Protocol):
    """One operator of the graph."""

    def run(self, values: list[Any]) -> None:
        """Compute the result from the values so far, and forget what nothing needs any more."""


@dataclass(frozen=True)
class Call:
    """A call through the dispatcher: what to call with the values so far, and which values nothing needs after it."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    slots: tuple[tuple[int, int], ...]
    """Positions of arguments that are values, and the numbers of the values."""
    nested: tuple[int, ...]
    """Positions of lists that have values in them."""
    kwargs: Mapping[str, Any]
    named: tuple[str, ...]
    """The keyword arguments that are or contain values."""
    result: int
    planned: bool
    """Whether the result is in the block; it is then in `kwargs`, too."""
    unneeded: tuple[int, ...]

    def run(self, values: list[Any]) -> None:
        """Compute the result and forget what nothing needs any more."""
        args = list(self.args)
        for position, number in self.slots:
            args[position] = values[number]
        for position in self.nested:
            args[position] = _value(args[position], values)
        kwargs = self.kwargs
        if self.named:
            kwargs = {**kwargs, **{name: _value(kwargs[name], values) for name in self.named}}
        values[self.result] = self.function(*args, **kwargs)
        for number in self.unneeded:
            values[number] = None


@dataclass(frozen=True)
class _Slot:
    """The number of a value among those of a call."""

    number: int


@dataclass(frozen=True)
class MemoryPlan:
    """Where results are in the block, and what that saves.

    Attributes:
        size: The bytes of the block.
        unplanned: The bytes that the same results take without reuse.
        results: How many results are in the block.
    """

    size: int
    unplanned: int
    results: int


class StaticModule:
    """A module for inference with inputs of fixed shapes and dtypes.

    Args:
        module: A module or function of tensors. As in tracing, branches that depend on values are
            those of the example.
        example_inputs: Tensors of the shapes and dtypes of all later inputs.

    Raises:
        TypeError: If an example input is not a tensor.

    Example:
        >>> module = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1))
        >>> x = torch.ones(2, 4)
        >>> from torch.jit._static_runtime import StaticModule
        >>> static = StaticModule(module, (x,))
        >>> torch.testing.assert_close(static(x), module(x))
        >>> static.plan.results
        2
    """

    def __init__(self, module: Callable[..., Any], example_inputs: Sequence[torch.Tensor]) -> None:
        for example in example_inputs:
            if not isinstance(example, torch.Tensor):
                raise TypeError(f"example inputs must be tensors, not {type(example).__name__}")
        with torch.no_grad():
            graph = make_fx(module)(*example_inputs)
            planner = _Planner(graph, example_inputs)
            self.plan = planner.plan
            self._steps = planner.steps()
        self._initial = planner.constants
        self._inputs = planner.inputs
        self._output = planner.output
        self._expected = [(tuple(x.shape), x.dtype, x.device) for x in example_inputs]

    def __call__(self, *inputs: torch.Tensor) -> Any:
        """Return what the module computes for the inputs.

        Raises:
            TypeError: If the number of inputs is wrong.
            ValueError: If an input has another shape, dtype or device than the example.
        """
        self._check(inputs)
        values = list(self._initial)
        for number, value in zip(self._inputs, inputs, strict=True):
            values[number] = value
        with torch.no_grad():
            for step in self._steps:
                step.run(values)
        return _value(self._output, values)

    def _check(self, inputs: Sequence[torch.Tensor]) -> None:
        if len(inputs) != len(self._expected):
            raise TypeError(f"expected {len(self._expected)} inputs, but got {len(inputs)}")
        for index, (value, expected) in enumerate(zip(inputs, self._expected, strict=True)):
            given = (tuple(value.shape), value.dtype, value.device)
            if given != expected:
                raise ValueError(f"input {index} is {given}, but the graph is for {expected}")


def _value(argument: Any, values: list[Any]) -> Any:
    """Return an argument with its slots replaced by their values."""
    if isinstance(argument, _Slot):
        return values[argument.number]
    if isinstance(argument, (list, tuple)):
        kind = tuple if isinstance(argument, tuple) else list
        return kind(_value(item, values) for item in argument)
    return argument


class _Planner:
    """Decides which results are in the block, and where."""

    def __init__(self, graph: Any, examples: Sequence[torch.Tensor]) -> None:
        self._nodes = [n for n in graph.graph.nodes if n.op != "output"]
        self._number = {node: number for number, node in enumerate(self._nodes)}
        self.inputs = [self._number[n] for n in self._nodes if n.op == "placeholder"]
        self.constants = [
            getattr(graph, str(n.target)) if n.op == "get_attr" else None for n in self._nodes
        ]
        returned = next(n for n in graph.graph.nodes if n.op == "output").args[0]
        self.output = self._slots(returned)
        self._results = self._run(examples)
        self._fold_views()
        self._last_use = self._find_last_uses(returned)
        self._out_variants = {n: _out_variant(node) for n, node in enumerate(self._nodes)}
        self._offsets, size = self._place()
        planned = [self._results[number] for number in self._offsets]
        self.plan = MemoryPlan(size, sum(map(_bytes, planned)), len(planned))
        self._block = UntypedStorage(size)

    def steps(self) -> list[Step]:
        """Return the calls in order."""
        return [
            self._step(node)
            for number, node in enumerate(self._nodes)
            if node.op == "call_function" and self.constants[number] is None
        ]

    def _slots(self, argument: Any) -> Any:
        return map_arg(argument, lambda node: _Slot(self._number[node]))

    def _run(self, examples: Sequence[torch.Tensor]) -> list[Any]:
        """Return the result of each node for the examples."""
        values = list(self.constants)
        for number, value in zip(self.inputs, examples, strict=True):
            values[number] = value
        for number, node in enumerate(self._nodes):
            if node.op == "call_function":
                args = _value(tuple(self._slots(node.args)), values)
                kwargs = {k: _value(self._slots(v), values) for k, v in node.kwargs.items()}
                values[number] = node.target(*args, **kwargs)
        return values

    def _fold_views(self) -> None:
        """Take views of the module's tensors once, rather than in each call."""
        for number, node in enumerate(self._nodes):
            inputs = [self.constants[self._number[used]] for used in node.all_input_nodes]
            fixed = inputs and all(isinstance(value, torch.Tensor) for value in inputs)
            result = self._results[number]
            if (
                fixed
                and isinstance(result, torch.Tensor)
                and not any(map(_is_written, _parts(node)))
                and _memory(result) <= set().union(*map(_memory, inputs))
            ):
                self.constants[number] = result

    def _find_last_uses(self, returned: Any) -> list[int]:
        """Return the last node that needs the memory of each node's result.

        Results that share memory, such as views, are needed together.
        """
        last = list(range(len(self._nodes)))
        for number, node in enumerate(self._nodes):
            for used in node.all_input_nodes:
                last[self._number[used]] = max(last[self._number[used]], number)
        end = len(self._nodes)
        map_arg(returned, lambda node: last.__setitem__(self._number[node], end))
        by_memory: dict[int, int] = {}
        keys = [_memory(result) for result in self._results]
        for number, memory in enumerate(keys):
            for key in memory:
                by_memory[key] = max(by_memory.get(key, 0), last[number])
        return [max([last[n], *(by_memory[key] for key in keys[n])]) for n in range(end)]

    def _place(self) -> tuple[dict[int, int], int]:
        """Return the offset of each planned result, and the size of the block.

        The largest results are placed first, each at the first place where it overlaps no result
        that is needed at the same time.
        """
        planned = [n for n, node in enumerate(self._nodes) if self._is_planned(n, node)]
        offsets: dict[int, int] = {}
        for number in sorted(planned, key=lambda n: (-_bytes(self._results[n]), n)):
            others = sorted(
                (offsets[o], offsets[o] + _bytes(self._results[o]))
                for o in offsets
                if o <= self._last_use[number] and number <= self._last_use[o]
            )
            at, size = 0, _bytes(self._results[number])
            for start, end in others:
                if at + size <= start:
                    break
                at = max(at, end)
            offsets[number] = at
        ends = (offset + _bytes(self._results[n]) for n, offset in offsets.items())
        return offsets, max(ends, default=0)

    def _is_planned(self, number: int, node: Node) -> bool:
        """Return whether the result is a new contiguous tensor that the module does not return."""
        result = self._results[number]
        return (
            node.op == "call_function"
            and isinstance(result, torch.Tensor)
            and result.device.type == "cpu"
            and result.numel() > 0
            and result.is_contiguous()
            and all(part.alias_info is None for part in _parts(node))
            and self._last_use[number] < len(self._nodes)
            and self._out_variants[number] is not None
        )

    def _step(self, node: Node) -> Step:
        if self._number[node] not in self._offsets or _name(node) not in _KERNELS:
            return self._call(node)
        names = [argument.name for argument in _schema(node).arguments]
        given = [*enumerate(node.args), *((names.index(k), v) for k, v in node.kwargs.items())]
        slots = [(at, self._number[value]) for at, value in given if isinstance(value, Node)]
        if {number for _, number in slots} != {self._number[n] for n in node.all_input_nodes}:
            return self._call(node)  # some values are in lists
        return self._kernel_call(node, slots)

    def _kernel_call(self, node: Node, slots: list[tuple[int, int]]) -> Step:
        """Return the step that calls the operator's generated kernel."""
        number = self._number[node]
        args = _value(tuple(self._slots(node.args)), self._results)
        kwargs = {k: _value(self._slots(v), self._results) for k, v in node.kwargs.items()}
        overload, written = self._out_variants[number]
        kwargs[written] = self._planned_tensor(number)
        return torch._C._StaticStep(
            _name(node), overload._overloadname, args, kwargs, slots, number, self._unneeded(node)
        )

    def _call(self, node: Node) -> Call:
        number = self._number[node]
        function: Any = node.target
        kwargs = {name: self._slots(value) for name, value in node.kwargs.items()}
        named = tuple(name for name in kwargs if isinstance(kwargs[name], (_Slot, list, tuple)))
        planned = number in self._offsets
        if planned:
            function, written = self._out_variants[number]
            kwargs[written] = self._planned_tensor(number)
        args = tuple(self._slots(node.args))
        if planned or all(part.alias_info is None for part in _parts(node)):
            function = self._binding(function, args, kwargs)
        slots = tuple((at, a.number) for at, a in enumerate(args) if isinstance(a, _Slot))
        nested = tuple(at for at, a in enumerate(args) if isinstance(a, (list, tuple)))
        unneeded = self._unneeded(node)
        return Call(function, args, slots, nested, kwargs, named, number, planned, unneeded)

    def _unneeded(self, node: Node) -> tuple[int, ...]:
        """Return the values that nothing needs after the node."""
        number = self._number[node]
        return tuple(
            self._number[used]
            for used in node.all_input_nodes
            if self._last_use[self._number[used]] == number
            and self.constants[self._number[used]] is None
        )

    def _binding(self, overload: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Return Python's function for the operator if it takes these arguments; it is faster."""
        if not hasattr(overload, "overloadpacket"):
            return overload
        omitted = overload._schema.arguments[len(args) :]
        if any(a.name == "reduction" and a.name not in kwargs for a in omitted):
            return overload  # Python's default is no reduction, but the schema's is the mean
        binding = getattr(torch._C._VariableFunctions, overload.overloadpacket.__name__, None)
        values = {name: _value(value, self._results) for name, value in kwargs.items()}
        try:
            binding(*_value(args, self._results), **values)
        except TypeError:  # there is none, or it takes other arguments
            return overload
        return binding

    def _planned_tensor(self, number: int) -> torch.Tensor:
        """Return the tensor in the block that the result is written to."""
        result = self._results[number]
        offset = self._offsets[number]
        memory = self._block[offset : offset + result.nbytes]
        return torch.empty(0, dtype=result.dtype).set_(memory, 0, result.shape, result.stride())


def _out_variant(node: Node) -> tuple[Any, str] | None:
    """Return the overload that writes the one result of a call, and its argument for it, or None."""
    target: Any = node.target
    if target is operator.getitem or not hasattr(target, "overloadpacket"):
        return None
    schema, packet = target._schema, target.overloadpacket
    if [str(returned.type) for returned in schema.returns] != ["Tensor"]:
        return None
    taken = [(argument.name, str(argument.type)) for argument in schema.arguments]
    for overload in (getattr(packet, name) for name in packet.overloads()):
        arguments = overload._schema.arguments
        is_last = [_is_written(argument) for argument in arguments] == [False] * len(taken) + [True]
        others = [(argument.name, str(argument.type)) for argument in arguments[:-1]]
        if is_last and others == taken and str(arguments[-1].type) == "Tensor":
            return overload, arguments[-1].name
    return None


def _name(node: Node) -> str:
    """Return the name of the operator that a node calls, with its overload; "" if it calls none."""
    schema = _schema(node)
    return "" if schema is None else f"{schema.name}.{schema.overload_name}".removesuffix(".")


def _schema(node: Node) -> Any:
    return getattr(node.target, "_schema", None)


def _parts(node: Node) -> list[Any]:
    """Return the arguments and results that the operator of a call declares."""
    schema = _schema(node)
    return [] if schema is None else [*schema.arguments, *schema.returns]


def _is_written(part: Any) -> bool:
    return part.alias_info is not None and part.alias_info.is_write


def _memory(result: Any) -> set[int]:
    tensors = result if isinstance(result, (list, tuple)) else [result]
    return {t.untyped_storage()._cdata for t in tensors if isinstance(t, torch.Tensor)}


def _bytes(result: torch.Tensor) -> int:
    return -(-result.nbytes // _ALIGNMENT) * _ALIGNMENT
