"""The dispatcher's files: entries and their calls, the name table, boxing, the list of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from tools.codegen.api import cpp, dispatcher
from tools.codegen.api.signature import Signature
from tools.codegen.emit.common import Emitter, includes, type_headers
from tools.codegen.emit.headers import KEY_SET
from tools.codegen.emit.shards import shard_of, sharded
from tools.codegen.emit.tensor import methods
from tools.codegen.model import NativeFunction


def root_headers(functions: Iterable[NativeFunction], suffix: str) -> str:
    """Return #include lines for the operators' own headers, without duplicates."""
    roots = sorted({function.root_name for function in functions})
    return includes(f"ATen/ops/{root}{suffix}.h" for root in roots)


def _operator_includes(functions: Sequence[NativeFunction]) -> str:
    lines = [root_headers(functions, "_ops"), type_headers(functions)]
    return "\n".join(filter(None, lines))


def key_set_arguments(function: NativeFunction) -> str:
    """Return the arguments that determine a call's dispatch keys: tensors or a factory's device."""
    arguments = function.func.arguments
    tensors = [argument.name for argument in arguments.all if argument.type.is_tensor_like()]
    if not tensors and arguments.options is not None:
        tensors = ["device"]
    return ", ".join(tensors)


def operators(emitter: Emitter) -> None:
    """Emit Operators_*.cpp: the entry, call and redispatch of every operator.

    Entries are constant-initialised.
    """
    declared = emitter.declared(emitter.operators.functions)
    shards = sharded(emitter, "Operators", declared, lambda f: f.root_name)
    for name, functions in shards:
        values = partial(_definitions, emitter, functions)
        emitter.file(f"{name}.cpp", "Operators.cpp", functions, values)


def _definitions(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    section = emitter.templates.section("Operators.cpp", "operator")
    definitions = [section.fill(**_definition(function)) for function in functions]
    return {"includes": _operator_includes(functions), "definitions": "".join(definitions)}


def _definition(function: NativeFunction) -> dict[str, str]:
    signature = dispatcher.signature(function)
    struct = function.unambiguous
    names = signature.names()
    parameters = ", ".join(filter(None, [KEY_SET, signature.parameters()]))
    keys = f"c10::key_set_of({key_set_arguments(function)})"
    return {
        "schema": f"{function.namespace}::{function.func}",
        "struct": struct,
        "call": signature.declaration(name=f"{struct}::call"),
        "dispatch": ", ".join(["entry", keys, *names]),
        "redispatch": f"{signature.returns} {struct}::redispatch({parameters})",
        "redispatch_arguments": ", ".join(["entry", "dispatchKeySet", *names]),
    }


def register_schema(emitter: Emitter) -> None:
    """Emit RegisterSchema_*.cpp: the table of entries, and boxing, once for each C++ signature."""
    section = emitter.templates.section("RegisterSchema.cpp", "instantiation")
    functions = emitter.declared(emitter.operators.functions)
    first_of_type: dict[str, NativeFunction] = {}
    for function in functions:
        type = emitter.piece("type", function, partial(dispatcher.function_type, function))
        first_of_type.setdefault(type, function)
    shards = sharded(emitter, "RegisterSchema", functions, lambda f: f.root_name)
    boxed: list[dict[str, NativeFunction]] = [{} for _ in shards]
    for type, function in sorted(first_of_type.items()):
        boxed[shard_of(type, len(shards))][type] = function
    for (name, members), types in zip(shards, boxed, strict=True):
        instantiations = "".join(
            section.fill(type=type, struct=function.unambiguous) for type, function in types.items()
        )
        headers = type_headers([*members, *types.values()])
        values = partial(_entries, members, headers, instantiations)
        emitter.file(f"{name}.cpp", "RegisterSchema.cpp", members, values, headers, instantiations)


def _entries(
    members: Sequence[NativeFunction], headers: str, instantiations: str
) -> Mapping[str, str]:
    return {
        "includes": "\n".join(filter(None, [root_headers(members, "_ops"), headers])),
        "instantiations": instantiations,
        "entries": "\n".join(f"&at::_ops::{f.unambiguous}::entry," for f in members),
    }


def tensor_methods(emitter: Emitter) -> None:
    """Emit TensorMethods_*.cpp: each method is one call of its operator."""
    declared = emitter.declared(methods(emitter))
    shards = sharded(emitter, "TensorMethods", declared, lambda f: f.root_name)
    for name, functions in shards:
        values = partial(_methods, emitter, functions)
        emitter.file(f"core/{name}.cpp", "TensorMethods.cpp", functions, values)


def _methods(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    section = emitter.templates.section("TensorMethods.cpp", "method")
    texts = [
        section.fill(**_method(function, signature))
        for function in functions
        for signature in cpp.signatures(function, method=True)
    ]
    return {"includes": _operator_includes(functions), "methods": "".join(texts)}


def _method(function: NativeFunction, signature: Signature) -> dict[str, str]:
    expressions = cpp.dispatcher_expressions(function, signature)
    self_arg = function.func.arguments.self_arg
    if self_arg is not None and self_arg.is_write:
        position = function.func.arguments.all.index(self_arg)
        expressions[position] = "const_cast<Tensor&>(*this)"
    return {
        "schema": f"{function.namespace}::{function.func}",
        "declaration": signature.declaration(name=f"Tensor::{signature.name}", suffix=" const"),
        "struct": function.unambiguous,
        "arguments": ", ".join(expressions),
    }


def op_list(emitter: Emitter) -> None:
    """Emit core/ATenOpList.cpp: the names of all operators."""
    names = sorted({f"{f.namespace}::{f.full_name}" for f in emitter.operators.functions})
    lines = "\n".join(f'"{name}\\n"' for name in names)
    selected = "" if emitter.selection is None else emitter.selection.file
    values = {"names": lines, "selected": selected}
    emitter.file("core/ATenOpList.cpp", "ATenOpList.cpp", (), lambda: values, *values.values())
