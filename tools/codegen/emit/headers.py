"""Headers of one operator each: its entry in the dispatcher, its functions, and their aggregates."""

from __future__ import annotations

from collections.abc import Iterable

from tools.codegen.api import cpp, dispatcher
from tools.codegen.emit.common import Emitter, includes, method, public_function
from tools.codegen.model import NativeFunction

KEY_SET = "c10::DispatchKeySet dispatchKeySet"


def operator_headers(emitter: Emitter) -> None:
    """ops/<root>_ops.h and Operators.h: the types that call through the dispatcher."""
    section = emitter.templates.section("Operator.h", "operator")
    for root, functions in emitter.operators.by_root.items():
        structs: list[str] = []
        for function in functions:
            signature = dispatcher.signature(function)
            parameters = ", ".join(filter(None, [KEY_SET, signature.parameters()]))
            schema = str(function.func)
            structs.append(
                section.fill(
                    schema=f"{function.namespace}::{schema}",
                    struct=function.unambiguous,
                    function_type=signature.function_type,
                    name=f"{function.namespace}::{function.func.name.name}",
                    overload=function.func.name.overload,
                    escaped_schema=schema.replace("\\", "\\\\").replace('"', '\\"'),
                    call=signature.declaration(name="call"),
                    redispatch=f"{signature.returns} redispatch({parameters})",
                )
            )
        emitter.write(f"ops/{root}_ops.h", "Operator.h", operators="".join(structs))
    _aggregate(emitter, "Operators.h", (f"{root}_ops.h" for root in emitter.operators.by_root))


def function_headers(emitter: Emitter) -> None:
    """ops/<root>.h and Functions.h: the at:: functions."""
    section = emitter.templates.section("Function.h", "function")
    for root, functions in emitter.operators.by_root.items():
        inline: list[str] = []
        for function in functions:
            if not public_function(function) or function.manual_cpp_binding:
                continue
            for signature in cpp.signatures(function):
                inline.append(
                    section.fill(
                        schema=f"{function.namespace}::{function.func}",
                        declaration=signature.declaration(defaults=True),
                        struct=function.unambiguous,
                        arguments=", ".join(cpp.dispatcher_expressions(function, signature)),
                    )
                )
        emitter.write(f"ops/{root}.h", "Function.h", root=root, functions="".join(inline))
    _aggregate(emitter, "Functions.h", (f"{root}.h" for root in emitter.operators.by_root))


def redispatch_functions(emitter: Emitter) -> None:
    """RedispatchFunctions.h: at::redispatch::f(keys, ...) for kernels that pass a call on."""
    section = emitter.templates.section("RedispatchFunctions.h", "function")
    inline: list[str] = []
    for function in emitter.operators.functions:
        for signature in cpp.signatures(function):
            parameters = ", ".join(filter(None, [KEY_SET, signature.parameters(defaults=True)]))
            expressions = cpp.dispatcher_expressions(function, signature)
            inline.append(
                section.fill(
                    schema=f"{function.namespace}::{function.func}",
                    declaration=f"{signature.returns} {signature.name}({parameters})",
                    struct=function.unambiguous,
                    arguments=", ".join(["dispatchKeySet", *expressions]),
                )
            )
    emitter.write("RedispatchFunctions.h", "RedispatchFunctions.h", functions="".join(inline))


def method_operators(emitter: Emitter) -> None:
    """MethodOperators.h: the entries of the operators that Tensor has as methods."""
    roots = sorted({f.root_name for f in emitter.operators.functions if method(f)})
    _aggregate(emitter, "MethodOperators.h", (f"{root}_ops.h" for root in roots))


def _aggregate(emitter: Emitter, name: str, headers: Iterable[str]) -> None:
    lines = includes(f"ATen/ops/{header}" for header in headers)
    emitter.write(name, "Aggregate.h", includes=lines)


def registration_declarations(emitter: Emitter) -> None:
    """RegistrationDeclarations.h: schema, composite or not, and C++ type of every operator."""
    lines = [_registration_line(function) for function in emitter.operators.functions]
    emitter.write(
        "RegistrationDeclarations.h",
        "RegistrationDeclarations.h",
        declarations="\n".join(lines),
    )


def _registration_line(function: NativeFunction) -> str:
    signature = dispatcher.signature(function, name=str(function.func.name.name))
    dispatch = not (function.composite_implicit and len(function.dispatch) == 1)
    default = function.composite_implicit or function.composite_explicit
    facts = ", ".join(
        [
            f'"schema": "{function.namespace}::{function.func}"',
            f'"dispatch": "{dispatch}"',
            f'"default": "{default}"',
        ]
    )
    return f"{signature.declaration()}; // {{{facts}}}"
