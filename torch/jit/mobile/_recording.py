"""Turns a module's forward into a program of an archive: the operators that a call with example inputs makes.

As with tracing, the program has no branches: it computes what the module computed for the examples.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.jit._numbers import number_of
from torch.jit.mobile._interpreter import Instruction, Op
from torch.jit.mobile._values import MobileObject
from torch.jit.mobile._writing import Writer


def record(
    writer: Writer, state: MobileObject, module: torch.nn.Module, examples: Sequence[Any]
) -> None:
    """Add the method `forward` of a module.

    Raises:
        TypeError: If an argument or the result is not a tensor, or a list or tuple of tensors.
    """
    for example in examples:
        if not isinstance(example, torch.Tensor):
            raise TypeError(f"example inputs must be tensors, not {type(example).__name__}")
    graph = make_fx(module)(*examples)
    _Recorder(writer, state, graph).method("forward")


class _Recorder:
    """Writes the nodes of a graph as instructions; each value has a register."""

    def __init__(self, writer: Writer, state: MobileObject, graph: GraphModule) -> None:
        self._writer = writer
        self._graph = graph
        self._state = state
        self._code: list[Instruction] = []
        self._rows: list[tuple[str, str, int]] = []
        self._constants: list[int] = []
        self._types: list[str] = []
        self._registers: dict[Node, int | list[int]] = {}
        self._count = 1
        self._paths = _paths(state)

    def method(self, name: str) -> None:
        """Add the graph as a method of the module."""
        inputs = [node for node in self._graph.graph.nodes if node.op == "placeholder"]
        for node in inputs:
            self._registers[node] = self._register()
        self._emit(Op.STOREN, len(inputs) + 1, 1)
        for node in self._graph.graph.nodes:
            if node.op == "get_attr":
                self._attribute(node)
            elif node.op == "call_function":
                self._call(node)
            elif node.op == "output":
                self._load(node.args[0], "")
                self._emit(Op.RET)
        parameters = [("self", self._state._type_name, 0)]
        parameters += [(f"input_{i}", "Tensor", 0) for i in range(1, len(inputs) + 1)]
        returned = next(node for node in self._graph.graph.nodes if node.op == "output").args[0]
        returns = [("", _type_of(returned), 0)]
        parts = (self._code, self._rows, self._constants, self._types)
        schema = (parameters, returns)
        self._writer.method(
            f"{self._state._type_name}.{name}",
            (*parts, self._count, schema, len(self._writer.types) - 1),
            [f"{base}.{overload}" if overload else base for base, overload, _ in self._rows],
        )

    def _register(self) -> int:
        self._count += 1
        return self._count

    def _emit(self, op: Op, n: int = 0, x: int = 0) -> None:
        self._code.append((int(op), n, x))

    def _attribute(self, node: Node) -> None:
        """Store a tensor that the graph holds: an attribute of the module, or a constant."""
        tensor = getattr(self._graph, str(node.target))
        path = self._paths.get(id(tensor))
        if path is None:
            self._constant(tensor)
        else:
            self._emit(Op.LOAD, 0, 1)
            for slot in path:
                self._emit(Op.GET_ATTR, 0, slot)
        self._registers[node] = register = self._register()
        self._emit(Op.STORE, 0, register)

    def _call(self, node: Node) -> None:
        if node.target is operator.getitem:
            source, index = node.args
            self._registers[node] = self._registers[source][index]  # type: ignore[index]
            return
        overload = _scalar_overload(node)
        schema = overload._schema
        given = dict(zip((a.name for a in schema.arguments), node.args, strict=False))
        given |= node.kwargs
        for argument in schema.arguments:
            value = given.get(argument.name, argument.default_value)
            self._load(value, str(argument.type))
        base, _, name = str(overload).replace(".", "::", 1).partition(".")
        row = (base, name.removeprefix("default"), len(schema.arguments))
        if row not in self._rows:
            self._rows.append(row)
        self._emit(Op.OP, 0, self._rows.index(row))
        self._store(node, len(schema.returns))

    def _store(self, node: Node, results: int) -> None:
        registers = [self._register() for _ in range(results)]
        if results == 1:
            self._registers[node] = registers[0]
            self._emit(Op.STORE, 0, registers[0])
        elif results:
            self._registers[node] = registers
            self._emit(Op.STOREN, results, registers[0])

    def _load(self, value: Any, type: str) -> None:
        """Put a value on the stack."""
        if isinstance(value, Node):
            register = self._registers[value]
            if isinstance(register, list):  # all results of an operator
                for each in register:
                    self._emit(Op.LOAD, 0, each)
                self._emit(Op.TUPLE_CONSTRUCT, 0, len(register))
            else:
                self._emit(Op.LOAD, 0, register)
        elif isinstance(value, (list, tuple)) and any(isinstance(v, Node) for v in value):
            for each in value:
                self._load(each, "")
            if isinstance(value, tuple) and not type:
                self._emit(Op.TUPLE_CONSTRUCT, 0, len(value))
            else:
                optional = any(each is None for each in value) or "?" in type
                element = "Optional[Tensor]" if optional else "Tensor"
                self._emit(Op.LIST_CONSTRUCT, len(value), self._type(f"List[{element}]"))
        else:
            self._constant(_plain(value, type))

    def _constant(self, value: Any) -> None:
        self._constants.append(self._writer.add(value))
        self._emit(Op.LOADC, 0, len(self._constants) - 1)

    def _type(self, name: str) -> int:
        if name not in self._types:
            self._types.append(name)
        return self._types.index(name)


def _paths(state: MobileObject, prefix: tuple[int, ...] = ()) -> dict[int, tuple[int, ...]]:
    """Return where each tensor of a module is, by its id: the slots of the attributes."""
    found: dict[int, tuple[int, ...]] = {}
    for slot, value in enumerate(state._values):
        if isinstance(value, torch.Tensor):
            found.setdefault(id(value), (*prefix, slot))
        elif isinstance(value, MobileObject):
            found = {**_paths(value, (*prefix, slot)), **found}
    return found


def _scalar_overload(node: Node) -> Any:
    """Return the operator of a call; where Python passes a number for a tensor, that for numbers."""
    target: Any = node.target
    if len(node.args) < 2 or not isinstance(node.args[1], (int, float, complex)):
        return target
    overload = target._schema.overload_name
    name = overload.replace("Tensor", "Scalar", 1) if overload else "Scalar"
    takes_tensor = str(target._schema.arguments[1].type) == "Tensor"
    return getattr(target.overloadpacket, name, target) if takes_tensor else target


def _plain(value: Any, type: str) -> Any:
    """Return a constant as programs write it: dtypes and the like are numbers."""
    number = number_of(value)
    if number is not None:
        return number
    if type == "Tensor" and isinstance(value, (int, float, complex)):
        return torch.tensor(value)
    if isinstance(value, tuple):
        value = list(value)
    if value.__class__ is int and type.startswith("float"):
        return float(value)
    if isinstance(value, list) and type.startswith("float"):
        return [float(item) for item in value]
    return value


def _type_of(value: Any) -> str:
    """Return the type of a result; tensors are all that programs compute."""
    if isinstance(value, (list, tuple)):
        parts = [_type_of(part) for part in value]
        return f"Tuple[{', '.join(parts)}]" if isinstance(value, tuple) else "List[Tensor]"
    if not isinstance(value, Node):
        raise TypeError(f"forward must return tensors, not {type(value).__name__}")
    return "Tensor"
