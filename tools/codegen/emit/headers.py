"""Headers of one operator each: its dispatcher entry, its functions, and the aggregate headers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from tools.codegen.api import cpp, dispatcher
from tools.codegen.api.signature import Signature
from tools.codegen.emit.common import Emitter, includes, is_function, is_method, type_headers
from tools.codegen.model import NativeFunction
from tools.codegen.templates import Template, Templates

KEY_SET = "c10::DispatchKeySet dispatchKeySet"


def operator_headers(emitter: Emitter) -> None:
    """Emit ops/<root>_ops.h and Operators.h: the types that call through the dispatcher."""
    section = emitter.templates.section("Operator.h", "operator")
    for root, functions in emitter.operators.by_root.items():
        values = partial(_operator_header, section, functions)
        emitter.file(f"ops/{root}_ops.h", "Operator.h", functions, values)
    aggregate(emitter, "Operators.h", (f"{root}_ops.h" for root in emitter.operators.by_root))


def _operator_header(section: Template, functions: Iterable[NativeFunction]) -> Mapping[str, str]:
    operators = [section.fill(**_operator(function)) for function in functions]
    return {"includes": type_headers(functions), "operators": "".join(operators)}


def _operator(function: NativeFunction) -> Mapping[str, str]:
    signature = dispatcher.signature(function)
    parameters = ", ".join(filter(None, [KEY_SET, signature.parameters()]))
    schema = str(function.func)
    return {
        "schema": f"{function.namespace}::{schema}",
        "struct": function.unambiguous,
        "function_type": signature.function_type,
        "name": f"{function.namespace}::{function.func.name.name}",
        "overload": function.func.name.overload,
        "escaped_schema": schema.replace("\\", "\\\\").replace('"', '\\"'),
        "call": signature.declaration(name="call"),
        "redispatch": f"{signature.returns} redispatch({parameters})",
    }


def function_headers(emitter: Emitter) -> None:
    """Emit ops/<root>.h and Functions.h: the at:: functions, and at::methods for the rest."""
    for root, functions in emitter.operators.by_root.items():
        values = partial(_function_header, emitter.templates, root, functions)
        emitter.file(f"ops/{root}.h", "Function.h", functions, values)
    aggregate(emitter, "Functions.h", (f"{root}.h" for root in emitter.operators.by_root))


def _function_header(
    templates: Templates, root: str, functions: Iterable[NativeFunction]
) -> Mapping[str, str]:
    section = templates.section("Function.h", "function")
    inline = [
        section.fill(
            schema=f"{function.namespace}::{function.func}",
            declaration=signature.declaration(defaults=True),
            struct=function.unambiguous,
            arguments=", ".join(cpp.dispatcher_expressions(function, signature)),
        )
        for function in functions
        if is_function(function) and not function.manual_cpp_binding
        for signature in cpp.signatures(function)
    ]
    methods = "".join(
        section.fill(**_method_function(function, signature))
        for function in functions
        if is_method(function) and not function.manual_cpp_binding
        if not is_function(function) or _writes_self(function)
        for signature in cpp.signatures(function, method=True)
    )
    if methods:
        methods = templates.section("Function.h", "methods").fill(functions=methods)
    return {"root": root, "functions": "".join(inline), "methods": methods}


def _method_function(function: NativeFunction, signature: Signature) -> Mapping[str, str]:
    """Declare a method as a function.

    Like methods, it takes a written `self` by const reference.
    """
    self = "const_cast<at::Tensor&>(self)" if _writes_self(function) else "self"
    parameters = ["const at::Tensor & self", signature.parameters(defaults=True)]
    expressions = cpp.dispatcher_expressions(function, signature)
    return {
        "schema": f"{function.namespace}::{function.func}",
        "declaration": f"{signature.returns} {signature.name}({', '.join(filter(None, parameters))})",
        "struct": function.unambiguous,
        "arguments": ", ".join(self if text == "*this" else text for text in expressions),
    }


def _writes_self(function: NativeFunction) -> bool:
    self_arg = function.func.arguments.self_arg
    return self_arg is not None and self_arg.is_write


def redispatch_functions(emitter: Emitter) -> None:
    """Emit RedispatchFunctions.h: at::redispatch::f(keys, ...) for kernels that forward a call."""
    functions = emitter.operators.functions
    values = partial(_redispatch_functions, emitter, functions)
    emitter.file("RedispatchFunctions.h", "RedispatchFunctions.h", functions, values)


def _redispatch_functions(
    emitter: Emitter, functions: Iterable[NativeFunction]
) -> Mapping[str, str]:
    section = emitter.templates.section("RedispatchFunctions.h", "function")
    inline = [
        emitter.piece("redispatch", function, partial(_redispatch_function, section, function))
        for function in functions
    ]
    return {"includes": type_headers(functions), "functions": "".join(inline)}


def _redispatch_function(section: Template, function: NativeFunction) -> str:
    texts: list[str] = []
    for signature in cpp.signatures(function):
        parameters = ", ".join(
            filter(None, ["c10::DispatchKeySet ks", signature.parameters(defaults=True)])
        )
        expressions = cpp.dispatcher_expressions(function, signature)
        texts.append(
            section.fill(
                declaration=f"{signature.returns} {signature.name}({parameters})",
                struct=function.unambiguous,
                arguments=", ".join(["ks", *expressions]),
            )
        )
    return "".join(texts)


def method_operators(emitter: Emitter) -> None:
    """Emit MethodOperators.h: the entries of the operators that are methods of Tensor."""
    roots = sorted({f.root_name for f in emitter.operators.functions if is_method(f)})
    aggregate(emitter, "MethodOperators.h", (f"{root}_ops.h" for root in roots))


def aggregate(emitter: Emitter, name: str, headers: Iterable[str]) -> None:
    """Emit a header that only includes the operators' own headers."""
    lines = includes(f"ATen/ops/{header}" for header in headers)
    emitter.file(name, "Aggregate.h", (), lambda: {"includes": lines}, lines)


def registration_declarations(emitter: Emitter) -> None:
    """Emit RegistrationDeclarations.h: schema, composite or not, and C++ type of every operator."""
    functions = emitter.operators.functions
    values = partial(_registration_lines, emitter, functions)
    name = "RegistrationDeclarations.h"
    emitter.file(name, name, functions, values)


def _registration_lines(emitter: Emitter, functions: Sequence[NativeFunction]) -> Mapping[str, str]:
    lines = [
        emitter.piece("registration line", function, partial(_registration_line, function))
        for function in functions
    ]
    return {"declarations": "\n".join(lines)}


def _registration_line(function: NativeFunction) -> str:
    signature = dispatcher.signature(function)
    dispatch = not (function.composite_implicit and len(function.dispatch) == 1)
    default = function.composite_implicit or function.composite_explicit
    facts = ", ".join(
        [
            f'"schema": "{function.namespace}::{function.func}"',
            f'"dispatch": "{dispatch}"',
            f'"default": "{default}"',
        ]
    )
    declaration = signature.declaration(name=str(function.func.name.name))
    return f"{declaration}; // {{{facts}}}"
