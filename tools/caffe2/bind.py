"""Which inputs and arguments of a Caffe2 operator are the parameters of an operator of ATen.

Tensors are inputs, by position. Numbers, texts and lists of numbers are arguments, by name; those
with a default may be left out. The device is the one on which the operator runs. What has another
type keeps its default or, without one, makes the operator inexpressible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.codegen.api import cpp
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument, SchemaKind
from tools.codegen.types import BaseType, ListType, OptionalType, Type

_VALUES = {
    "int": "int64_t",
    "SymInt": "int64_t",
    "bool": "bool",
    "SymBool": "bool",
    "float": "double",
    "str": "std::string",
    "Scalar": "at::Scalar",
    "ScalarType": "at::ScalarType",
}
_ELEMENTS = ("int", "SymInt", "float", "Scalar")
_RESULTS = ("Tensor", "Tensor[]", "int", "SymInt", "float", "bool", "SymBool", "Scalar")
_RESERVED = ("operator", "overload_name")
"""The arguments of a Caffe2 operator that choose the implementation."""


@dataclass(frozen=True)
class Skipped:
    """Why an operator cannot be expressed."""

    reason: str


@dataclass
class Binding:
    """How an operator is called: an expression for each of its parameters, and what they read."""

    expressions: list[str] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    """Arguments without a default."""
    optional: list[str] = field(default_factory=list)
    arities: Sequence[str] = ()
    """The numbers of inputs that it may have; `*` for any."""


def bind(function: NativeFunction) -> Binding | Skipped:
    """Return how the operator is called, or why it cannot be."""
    func = function.func
    if func.is_out:
        return Skipped("out arguments; outputs are blobs")
    written = next(iter(func.arguments.mutable), None)
    if written is not None:
        what = "an in-place operator" if func.kind is SchemaKind.inplace else "a written argument"
        return Skipped(f"{what}: {written}; name an input as output instead")
    if not func.returns:
        return Skipped("Ret: nothing")
    for result in func.returns:
        if str(result.type) not in _RESULTS:
            return Skipped(f"Ret: {result}")
    return _bind_arguments(func.arguments.all)


def _bind_arguments(arguments: Sequence[Argument]) -> Binding | Skipped:
    tensors = [argument for argument in arguments if argument.type.is_tensor_like()]
    lists = [argument for argument in tensors if argument.type.list_type() is not None]
    if len(lists) > 1:
        return Skipped(f"Arg: {lists[1]}, a second list of tensors")
    binding = Binding(arities=_arities(tensors, lists))
    for argument in arguments:
        if argument.type.is_tensor_like():
            expression = _tensor(argument, tensors)
        else:
            expression = _value(argument, binding)
        if expression is None:
            return Skipped(f"Arg: {argument}")
        binding.expressions.append(expression)
    return binding


def _arities(tensors: Sequence[Argument], lists: Sequence[Argument]) -> list[str]:
    """Return the possible numbers of inputs: optional tensors at the end may be left out."""
    if lists:
        return ["*"]
    least = len(tensors)
    while least and tensors[least - 1].type.is_optional():
        least -= 1
    return [str(count) for count in range(least, len(tensors) + 1)]


def _tensor(argument: Argument, tensors: Sequence[Argument]) -> str | None:
    """Return the expression for inputs; a list takes those that the other tensors leave."""
    index = tensors.index(argument)
    after = len(tensors) - index - 1
    behind_list = any(tensor.type.list_type() is not None for tensor in tensors[:index])
    place = f"call.from_end({after})" if behind_list else str(index)
    match str(argument.type):
        case "Tensor":
            return f"call.tensor({place})"
        case "Tensor?":
            return f"call.optional_tensor({place})"
        case "Tensor[]":
            return f"call.tensors({index}, {after})"
        case "Tensor?[]":
            return f"call.optional_tensors({index}, {after})"
    return None


def _value(argument: Argument, binding: Binding) -> str | None:
    """Return the expression for an argument by name; record its name."""
    if str(argument.type) == "Device?":
        return "call.device()"
    type = _value_type(argument.type)
    if type is None or argument.name in _RESERVED:
        return None if argument.default is None else _default(argument)
    if argument.default is None:
        binding.required.append(argument.name)
        return f'call.get<{type}>("{argument.name}")'
    binding.optional.append(argument.name)
    return f'call.get<{type}>("{argument.name}", {_default(argument)})'


def _default(argument: Argument) -> str:
    assert argument.default is not None
    text = cpp.default_expr(argument.default, argument.type)
    listed = argument.type.list_type()
    is_value = text.startswith("{") or argument.default == "None"
    return text if listed is None or is_value else f"{{{text}}}"


def _value_type(type: Type) -> str | None:
    """Return the C++ type that holds an argument of this type, or None if there is none."""
    match type:
        case OptionalType(elem):
            value = _value_type(elem)
            return None if value is None else f"std::optional<{value}>"
        case BaseType(name):
            return _VALUES.get(name)
        case ListType(BaseType("bool"), int(size)):
            return f"std::array<bool, {size}>"
        case ListType(BaseType(name)) if name in _ELEMENTS:
            return f"std::vector<{_VALUES[name]}>"
    return None
