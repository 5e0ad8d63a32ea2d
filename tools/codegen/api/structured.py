"""Signatures of a structured group's `meta` and `impl`."""

from __future__ import annotations

from functools import cache

from tools.codegen.api import cpp
from tools.codegen.api.signature import Binding
from tools.codegen.model import StructuredGroup
from tools.codegen.schema import Argument
from tools.codegen.types import Type


@cache
def argument_type(type: Type) -> str:
    """Return the parameter type: the public one, but optional tensors and scalars by reference."""
    match str(type):
        case "Tensor":
            return "const at::Tensor &"
        case "Tensor?":
            return "at::OptionalTensorRef"
        case "Scalar?":
            return "at::OptionalScalarRef"
        case "Tensor?[]":
            return "at::IOptTensorListRef"
        case _:
            return cpp.argument_type(type, list_ref=True)


def binding(argument: Argument) -> Binding:
    """Translate one argument to a parameter of `meta` or `impl`."""
    return Binding(argument.name, argument_type(argument.type), None, argument)


def meta_parameters(group: StructuredGroup) -> tuple[Binding, ...]:
    """Return the parameters of `meta`: the inputs."""
    return tuple(binding(argument) for argument in group.functional.func.arguments.non_out)


def impl_parameters(group: StructuredGroup) -> tuple[Binding, ...]:
    """Return the inputs, some of them replaced by precomputed values, and then the outputs."""
    precomputed = group.out.precomputed
    arguments: list[Argument] = []
    for argument in group.out.func.arguments.non_out:
        if precomputed is not None and argument.name in precomputed.replace:
            arguments.extend(precomputed.replace[argument.name])
        else:
            arguments.append(argument)
    if precomputed is not None:
        arguments.extend(precomputed.add)
    return tuple(binding(a) for a in (*arguments, *group.out.func.arguments.out))


def from_dispatcher(argument: Argument) -> str:
    """Convert a dispatcher argument to the structured parameter's type."""
    match str(argument.type):
        case "Tensor?" | "Scalar?":
            return f"at::as_structured({argument.name})"
        case "Tensor?[]":
            return f"at::IOptTensorListRef({argument.name})"
        case _:
            return argument.name
