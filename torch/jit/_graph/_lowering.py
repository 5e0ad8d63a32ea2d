"""Make the graph of a method from its program, and from what a trace saw when it wrote the program."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.jit._graph._ir import Graph, Node, Value
from torch.jit._graph._types import (
    BoolType,
    ClassType,
    ComplexType,
    DeviceObjType,
    DictType,
    FloatType,
    IntType,
    ListType,
    NoneType,
    StringType,
    TensorType,
    TupleType,
    Type,
    type_of_annotation,
)
from torch.jit._numbers import number_of
from torch.jit._torchscript._types import type_of_node

_INTEGERS = frozenset(("size", "numel", "dim", "len", "floordiv", "Int"))
_TRANSPOSED = frozenset(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"))
_CONVOLUTIONS = frozenset(("conv1d", "conv2d", "conv3d")) | _TRANSPOSED


@dataclass
class TraceFacts:
    """What a trace knows of a method besides its text.

    Attributes:
        types: The type of the tensor that an expression, such as a variable, stands for.
        schemas: For each statement the schema of the operator it calls, or None.
        scopes: For each statement the scope it was traced in.
    """

    types: dict[str, TensorType] = field(default_factory=dict)
    schemas: list[Any] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)


class Lowering:
    """Adds the statements of a method to a graph.

    Args:
        graph: The graph.
        facts: What a trace knows of the statements.
        constants: The constants of the program.
        values: The values that expressions such as arguments stand for; more are added.
        tensors: Expressions of tensors that are constants of the graph.
    """

    def __init__(
        self,
        graph: Graph,
        facts: TraceFacts,
        constants: Sequence[Any],
        values: Mapping[str, Value],
        tensors: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        self.graph = graph
        self._facts = facts
        self._types = {normal_text(text): kind for text, kind in facts.types.items()}
        self._constants = constants
        self._values = {normal_text(text): value for text, value in values.items()}
        self._tensors = {normal_text(text): each for text, each in (tensors or {}).items()}

    def statements(self, body: Iterable[ast.stmt]) -> ast.expr:
        """Add the statements of a method, and return the expression of its result.

        Raises:
            NotImplementedError: If the method has branches or loops.
        """
        for number, statement in enumerate(body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                self.graph.scope = ""
                return statement.value
            self._enter(number)
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._assign(name, value)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call):
                    self._assign_all([ast.unparse(each) for each in targets], call)
                case _:
                    raise _unsupported(statement)
        return ast.Constant(None)

    def _enter(self, number: int) -> None:
        known = number < len(self._facts.schemas)
        self._schema = self._facts.schemas[number] if known else None
        self.graph.scope = self._facts.scopes[number] if known else ""

    def _assign(self, name: str, expression: ast.expr) -> None:
        value = self.value(expression, self._types.get(name))
        self._values[name] = value
        count = 0
        while f"{name}[{count}]" in self._types:
            count += 1
        if count:
            unpacked = self.graph.append("prim::ListUnpack", [value])
            self._name_outputs(unpacked, [f"{name}[{number}]" for number in range(count)])

    def _assign_all(self, names: list[str], call: ast.Call) -> None:
        self._name_outputs(self._operator_node(call), names)

    def _name_outputs(self, node: Node, names: list[str]) -> None:
        for name in names:
            self._values[name] = node.addOutput(self._types.get(name))

    # ---- expressions
    def value(self, node: ast.expr, known: Type | None = None) -> Value:
        """Add the nodes of an expression, and return its value.

        Args:
            node: The expression.
            known: The type of the value, if a trace saw it.

        Raises:
            NotImplementedError: If graphs cannot show the expression.
        """
        text = ast.unparse(node)
        if text in self._values:
            return self._values[text]
        if text in self._tensors:
            self._values[text] = self.constant(self._tensors[text])
            return self._values[text]
        match node:
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=(int() | float()) as value)):
                return self.constant(-value)
            case ast.List() | ast.Tuple() | ast.Dict():
                return self._container(node)
            case ast.Attribute(value=ast.Name(id="CONSTANTS"), attr=name):
                return self.constant(self._constants[int(name[1:])])
            case ast.Attribute(value=owner, attr=name):
                return self._attribute(text, owner, name)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=name)]):
                return self._attribute(text, owner, str(name))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._builtin(name, args, node)
            case ast.Call():
                return self._call(node, known)
            case ast.Subscript(value=owner, slice=index):
                inputs = [self.value(owner), self.value(index)]
                return self.graph.append("aten::__getitem__", inputs).addOutput(known)
        raise _unsupported(node)

    def constant(self, value: Any) -> Value:
        """Add a constant, and return it."""
        kind, type, stored = _constant_kind(value)
        attributes = {} if kind is None else {"value": (kind, stored)}
        return self.graph.append("prim::Constant", [], attributes).addOutput(type)

    def _container(self, node: ast.List | ast.Tuple | ast.Dict) -> Value:
        if isinstance(node, ast.Dict):
            keys = [self.value(key) for key in node.keys if key is not None]
            values = [self.value(value) for value in node.values]
            pairs = [each for pair in zip(keys, values, strict=True) for each in pair]
            kind = DictType(keys[0].type(), values[0].type()) if keys else None
            return self.graph.append("prim::DictConstruct", pairs).addOutput(kind)
        return self.tuple([self.value(item) for item in node.elts], isinstance(node, ast.List))

    def tuple(self, items: list[Value], is_list: bool = False) -> Value:
        """Add a tuple or a list of values, and return it."""
        if is_list:
            element = _element_type([item.type() for item in items])
            return self.graph.append("prim::ListConstruct", items).addOutput(ListType(element))
        kind = TupleType([item.type() for item in items])
        return self.graph.append("prim::TupleConstruct", items).addOutput(kind)

    def _attribute(self, text: str, owner: ast.expr, name: str) -> Value:
        node = self.graph.append("prim::GetAttr", [self.value(owner)], {"name": ("s", name)})
        self._values[text] = node.addOutput()
        return self._values[text]

    def _builtin(self, name: str, args: list[ast.expr], node: ast.expr) -> Value:
        match name, args:
            case "annotate", [kind, value]:
                found = self.value(value)
                return found.setType(type_of_annotation(type_of_node(kind)))
            case "float", [ast.Constant(value=str(text))]:
                return self.constant(float(text))
            case "float" | "int", [value]:
                kind = FloatType() if name == "float" else IntType()
                node_ = self.graph.append(f"aten::{name.capitalize()}", [self.value(value)])
                return node_.addOutput(kind)
            case "complex", [real, imaginary]:
                return self.constant(complex(ast.literal_eval(real), ast.literal_eval(imaginary)))
        raise _unsupported(node)

    # ---- operators
    def _call(self, node: ast.Call, known: Type | None) -> Value:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="torch"), attr="device"),
                args=[ast.Constant(value=str(text))],
            ):
                return self.constant(torch.device(text))
        call = self._operator_node(node)
        return call.addOutput(known or self._result_type(call))

    def _result_type(self, node: Node) -> Type:
        name = node.kind().partition("::")[2]
        if node.schema() == "(no schema)":
            return IntType() if name in _INTEGERS or self._facts.schemas else TensorType()
        is_list = str(self._schema.returns[0].type).endswith("[]")
        return ListType(TensorType()) if is_list else TensorType()

    def _operator_node(self, node: ast.Call) -> Node:
        """Add the node of a call of an operator, with the arguments that are left to their defaults."""
        namespace, name = _operator_name(node)
        schema, self_schema = self._schema, self._schema
        if schema is not None and schema.name != f"{namespace}::{name}":
            schema = None
        self._schema = None  # arguments are expressions without operators of their own
        given = [self.value(item) for item in node.args]
        named = {item.arg: self.value(item.value) for item in node.keywords}
        self._schema = self_schema
        if schema is None:
            inputs = [*given, *named.values()]
            return self.graph.append(f"{namespace}::{name}", inputs)
        bound = self._bind(schema, given, named)
        if name in _CONVOLUTIONS:
            return self._convolution(name, bound)
        return self.graph.append(f"{namespace}::{name}", [*bound.values()], schema=schema)

    def _bind(
        self, schema: Any, given: list[Value], named: Mapping[str | None, Value]
    ) -> dict[str, Value]:
        """Return the value of each argument of an operator."""
        bound = {}
        for number, argument in enumerate(schema.arguments):
            if number < len(given):
                value = given[number]
            elif argument.name in named:
                value = named[argument.name]
            else:
                value = self._default(argument.default_value)
            bound[argument.name] = self._repeated(value, str(argument.type))
        return bound

    def _default(self, value: Any) -> Value:
        if isinstance(value, (list, tuple)):
            return self.tuple([self._default(item) for item in value], is_list=True)
        return self.constant(value)

    def _repeated(self, value: Value, declared: str) -> Value:
        """Return the list that one integer stands for, as a stride of 2 does for both dimensions."""
        element, _, length = declared.rstrip("?").rstrip("]").partition("[")
        is_integer = isinstance(value.type(), IntType)
        if not is_integer or not length.isdigit() or element not in ("int", "SymInt"):
            return value
        return self.tuple([value] * int(length), is_list=True)

    def _convolution(self, name: str, bound: Mapping[str, Value]) -> Node:
        """Add a convolution of any kind as the operator that traces of PyTorch have for all kinds."""
        if isinstance(bound["padding"].type(), StringType):
            schema = torch.ops.aten._convolution_mode.default._schema
            return self.graph.append("aten::_convolution_mode", [*bound.values()], schema=schema)
        stride = bound["stride"]
        padding = bound.get("output_padding")
        if padding is None:
            padding = self._default([0] * len([*stride.node().inputs()]))
        schema = torch.ops.aten._convolution.default._schema
        inputs = [bound[each] for each in ("input", "weight", "bias", "stride", "padding")]
        inputs += [bound["dilation"], self.constant(name in _TRANSPOSED), padding, bound["groups"]]
        flags = [self.constant(flag) for flag in (False, False, True, True)]
        return self.graph.append("aten::_convolution", [*inputs, *flags], schema=schema)


def method_graph(
    owner: str, definition: ast.FunctionDef, facts: TraceFacts, constants: Sequence[Any]
) -> Graph:
    """Return the graph of a method of a program, whose first input is the module.

    Args:
        owner: The name of the module's class.
        definition: The method.
        facts: What a trace knows of it.
        constants: The constants of the program.

    Raises:
        NotImplementedError: If the method has branches, loops or calls of other methods.
    """
    graph = Graph()
    values = {"self": graph.addInput("self", ClassType(owner))}
    for argument in definition.args.args[1:]:
        kind = None
        if argument.annotation is not None:
            kind = type_of_annotation(type_of_node(argument.annotation))
        name = argument.arg
        values[name] = graph.addInput(name, facts.types.get(name, kind))
    lowering = Lowering(graph, facts, constants, values)
    result = lowering.statements(definition.body)
    graph.registerOutput(lowering.value(result))
    graph.eliminate_dead_code()
    return graph


def normal_text(expression: str) -> str:
    """Return an expression with Python's own quotes and spaces."""
    return ast.unparse(ast.parse(expression, mode="eval"))


def _operator_name(node: ast.Call) -> tuple[str, str]:
    match node.func:
        case ast.Attribute(value=ast.Name(id="torch"), attr=name):
            return "aten", name
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="ops"), attr=space), attr=name):
            return space, name
    raise _unsupported(node)


def _element_type(kinds: list[Type]) -> Type:
    """Return the type of the elements of a list; tensors of a list may have different sizes."""
    if not kinds or all(isinstance(kind, TensorType) for kind in kinds):
        return TensorType()
    return kinds[0]


def _constant_kind(value: Any) -> tuple[str | None, Type, Any]:
    """Return the letter of the kind of a constant, its type, and the value that a node keeps."""
    match value:
        case None:
            return None, NoneType(), None
        case bool():
            return "i", BoolType(), value
        case int():
            return "i", IntType(), value
        case float():
            return "f", FloatType(), value
        case complex():
            return "c", ComplexType(), value
        case str():
            return "s", StringType(), value
        case torch.Tensor():
            return "t", TensorType.create_from_tensor(value), value
        case torch.device():
            return "s", DeviceObjType(), str(value)
    number = number_of(value)
    if number is not None:
        return "i", IntType(), number
    return "ival", ClassType(type(value).__name__), value


def _unsupported(node: ast.AST) -> NotImplementedError:
    return NotImplementedError(
        f"graphs show programs without branches, loops and calls of other methods; this one has "
        f"{ast.unparse(node).splitlines()[0]!r}"
    )
