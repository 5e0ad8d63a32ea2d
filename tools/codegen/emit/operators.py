"""The dispatcher's side: entries with their calls, the name table, boxing, the list of names."""

from __future__ import annotations

from collections.abc import Iterable

from tools.codegen.api import cpp, dispatcher
from tools.codegen.api.signature import Signature
from tools.codegen.emit.common import Emitter, includes
from tools.codegen.emit.headers import KEY_SET
from tools.codegen.emit.shards import shard_of, sharded
from tools.codegen.emit.tensor import methods
from tools.codegen.model import NativeFunction


def root_headers(functions: Iterable[NativeFunction], suffix: str) -> str:
    """Includes of the operators' own headers, each once."""
    roots = sorted({function.root_name for function in functions})
    return includes(f"ATen/ops/{root}{suffix}.h" for root in roots)


def key_set_arguments(function: NativeFunction) -> str:
    """What a call's dispatch keys come from: its tensors, or for factories the device."""
    arguments = function.func.arguments
    tensors = [argument.name for argument in arguments.all if argument.type.is_tensor_like()]
    if not tensors and arguments.options is not None:
        tensors = ["device"]
    return ", ".join(tensors)


def operators(emitter: Emitter) -> None:
    """Operators_*.cpp: the constant-initialised entry, call and redispatch of every operator."""
    section = emitter.templates.section("Operators.cpp", "operator")
    shards = sharded(emitter, "Operators", emitter.operators.functions, lambda f: f.root_name)
    for name, functions in shards:
        definitions = [section.fill(**_definition(function)) for function in functions]
        emitter.write(
            f"{name}.cpp",
            "Operators.cpp",
            includes=root_headers(functions, "_ops"),
            definitions="".join(definitions),
        )


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
    """RegisterSchema_*.cpp: the table of entries, and boxing, once for each C++ signature."""
    section = emitter.templates.section("RegisterSchema.cpp", "instantiation")
    functions = emitter.operators.functions
    first_of_type: dict[str, NativeFunction] = {}
    for function in functions:
        first_of_type.setdefault(dispatcher.signature(function).function_type, function)
    shards = sharded(emitter, "RegisterSchema", functions, lambda f: f.root_name)
    for index, (name, members) in enumerate(shards):
        types = [type for type in sorted(first_of_type) if shard_of(type, len(shards)) == index]
        emitter.write(
            f"{name}.cpp",
            "RegisterSchema.cpp",
            includes=root_headers(members, "_ops"),
            instantiations="".join(
                section.fill(type=type, struct=first_of_type[type].unambiguous) for type in types
            ),
            entries="\n".join(f"&at::_ops::{f.unambiguous}::entry," for f in members),
        )


def tensor_methods(emitter: Emitter) -> None:
    """TensorMethods_*.cpp: each method is one call of its operator."""
    section = emitter.templates.section("TensorMethods.cpp", "method")
    shards = sharded(emitter, "TensorMethods", methods(emitter), lambda f: f.root_name)
    for name, functions in shards:
        texts: list[str] = []
        for function in functions:
            for signature in cpp.signatures(function, method=True):
                texts.append(section.fill(**_method(function, signature)))
        emitter.write(
            f"core/{name}.cpp",
            "TensorMethods.cpp",
            includes=root_headers(functions, "_ops"),
            methods="".join(texts),
        )


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
    """core/ATenOpList.cpp: the names of all operators."""
    names = sorted({f"{f.namespace}::{f.func.name}" for f in emitter.operators.functions})
    emitter.write(
        "core/ATenOpList.cpp", "ATenOpList.cpp", names="\n".join(f'"{name}",' for name in names)
    )
