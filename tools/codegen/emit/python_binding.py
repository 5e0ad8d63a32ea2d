"""One Python binding: the overloads of a name as a parser table and a switch over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tools.codegen.api import cpp
from tools.codegen.api.docstring import docstring, function_title
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.python_convert import (
    argument_local,
    conversion,
    is_bindable,
    parameter_row,
    printed_signature,
)
from tools.codegen.emit.python_overloads import (
    NUMBERS_AS_TENSORS,
    Overload,
    deprecated_overloads,
    group_overloads,
)
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument, SchemaKind
from tools.codegen.templates import Templates

TEMPLATE = "python_shard.cpp"

NO_DOCS = OperatorDocs()

ReturnTypes: TypeAlias = Mapping[tuple[str, ...], str]
"""The name of every named tuple by return_type_key()."""


def return_type_key(f: NativeFunction) -> tuple[str, ...]:
    """Return the operator and field names that identify a named tuple; empty for other results."""
    returns = f.func.returns
    if len(returns) < 2:
        return ()
    fields = tuple(result.name or "" for result in returns)
    name = f.root_name + ("_out" if f.func.is_out else "")
    return (name, *fields) if all(fields) else ()


def return_type_variable(name: str) -> str:
    """Return the name of the variable that holds a named tuple's type."""
    return f"{name}_return_type"


def _gil_source(arguments: Sequence[Argument]) -> str | None:
    """Return the local variable whose size decides whether to release the GIL."""
    for argument in arguments:
        if str(argument.type) in ("Tensor", "Tensor[]"):
            return f"{argument.name}_"
    for argument in arguments:
        if argument.name == "size" and str(argument.type) == "SymInt[]":
            return "size_"
    return None


def _requires_grad_slot(overload: Overload) -> int | None:
    """Return the slot of a factory's requires_grad=."""
    names = [p.name for p in overload.parameters()]
    if not overload.signature.options or "requires_grad" not in names:
        return None
    return names.index("requires_grad")


def _call(
    f: NativeFunction, returned: str | None, types: ReturnTypes, requires_grad: int | None
) -> list[str]:
    """Return the lines that call the operator and return its result."""
    arguments = f.func.arguments
    actual = ", ".join(argument_local(argument) for argument in arguments.all)
    call = f"at::_ops::{f.unambiguous}::call({actual});"
    source = None if f.is_view else _gil_source(arguments.all)
    lines = [] if source is None else [f"ReleaseGil gil({source});"]
    if returned is not None:
        lines += [call] if source is None else [call, "gil.acquire();"]
        if requires_grad is not None:
            lines.append(f"r.with_requires_grad({requires_grad}, {arguments.out[0].name}_);")
        return [*lines, f"return Py_NewRef({returned});"]
    if not f.func.returns:
        lines += [call] if source is None else [call, "gil.acquire();"]
        return [*lines, "Py_RETURN_NONE;"]
    lines.append(f"auto result = {call}")
    if source is not None:
        lines.append("gil.acquire();")
    result = "std::move(result)"
    if requires_grad is not None:
        result = f"r.with_requires_grad({requires_grad}, {result})"
    named = types.get(return_type_key(f))
    wrapper = "" if named is None else f"{return_type_variable(named)}, "
    return [*lines, f"return wrap({wrapper}{result});"]


def _locals(overload: Overload, method: bool) -> list[str]:
    """Return one local variable per argument of the schema, converted from its slot."""
    function = overload.function
    lines = []
    schema = function.func.arguments
    self_arg = schema.self_arg
    numbers = _takes_numbers(function, method)
    slots = {p.name: (i, p) for i, p in enumerate(overload.parameters())}
    if overload.deprecated:
        lines.append("r.warn_deprecated();")
    for argument in schema.non_out:
        if method and argument is self_arg:
            kind = "at::Tensor&" if argument.is_write else "const at::Tensor&"
            unpack = "THPVariable_UnpackMutable" if argument.is_write else "THPVariable_Unpack"
            lines.append(f"{kind} {argument.name}_ = {unpack}(self);")
            continue
        value = overload.value(argument)
        if overload.deprecated and value not in slots:
            lines.append(
                f"const {cpp.element_type(argument.type, False)} {argument.name}_ = {value};"
            )
            continue
        if value not in slots:  # tensor options that the binding does not take
            lines.append(f"const auto {argument.name}_ = std::nullopt;")
            continue
        index, parameter = slots[value]
        if argument.name == "device" and self_arg is None:
            lines.append(f"const auto device_ = r.factory_device({index});")
            continue
        lines += conversion(argument, parameter, index, numbers=numbers)
    return lines


def _returned_object(f: NativeFunction, overload: Overload, method: bool) -> str | None:
    """Return the Python object that an in-place operator returns: the one that was passed in."""
    if f.func.kind is not SchemaKind.inplace:
        return None
    if method:
        return "self"
    self_arg = f.func.arguments.self_arg
    for index, parameter in enumerate(overload.parameters()):
        if self_arg is not None and parameter.name == overload.value(self_arg):
            return f"r.object({index})"
    return None


def _out_lines(overload: Overload, types: ReturnTypes) -> list[str]:
    """Return the branch for calls with out=."""
    out, names = overload.out, [p.name for p in overload.parameters()]
    assert out is not None
    index = overload.out_index
    lines = []
    if overload.signature.options:
        dtype, layout, device = (names.index(n) for n in ("dtype", "layout", "device"))
        lines.append(f"r.check_out({index}, {dtype}, {layout}, {device});")
    arguments = out.func.arguments.out
    if len(arguments) == 1:
        single = str(arguments[0].type) == "Tensor"
        value = (
            "at::Tensor& {}_ = r.mutable_tensor({});" if single else "auto {}_ = r.tensor_list({});"
        )
        lines.append(value.format(arguments[0].name, index))
        slot = _requires_grad_slot(overload)
        return lines + _call(out, f"r.object({index})", types, slot)
    lines.append(f"auto outs = r.out_list({index}, {len(arguments)});")
    for position, argument in enumerate(arguments):
        lines.append(f"at::Tensor& {argument.name}_ = outs[{position}];")
    return lines + _call(out, None, types, None)


def _body(templates: Templates, overload: Overload, types: ReturnTypes, *, method: bool) -> str:
    """Return the statements that convert the arguments, call the operator and return its result."""
    lines = _locals(overload, method)
    if overload.base is None:
        return "\n".join(lines + _out_lines(overload, types))
    if overload.out is not None:
        branch = "\n".join(_out_lines(overload, types))
        section = templates.section(TEMPLATE, "out")
        lines.append(section.fill(index=str(overload.out_index), body=branch).rstrip("\n"))
    f = overload.base
    returned = _returned_object(f, overload, method)
    return "\n".join(lines + _call(f, returned, types, _requires_grad_slot(overload)))


@dataclass(frozen=True)
class Binding:
    """The C++ of one Python function, and its row in the method table."""

    name: str
    text: str
    row: str
    operators: tuple[str, ...]


def _bindable(functions: Iterable[NativeFunction]) -> list[NativeFunction]:
    return [
        f
        for f in functions
        if all(is_bindable(a.type) for a in f.func.arguments.all)
        and all(is_bindable(r.type) for r in f.func.returns)
    ]


def is_bound(functions: Iterable[NativeFunction]) -> bool:
    """Return whether Python can call any of these overloads."""
    return bool(_bindable(functions))


def make_binding(
    templates: Templates,
    name: str,
    functions: Iterable[NativeFunction],
    *,
    method: bool,
    flags: str,
    return_types: ReturnTypes,
    deprecated: Iterable[DeprecatedSignature] = (),
    docs: OperatorDocs = NO_DOCS,
) -> Binding:
    """Generate the binding of `name`; Python can call at least one of its overloads."""
    bindable = _bindable(functions)
    overloads = group_overloads(bindable, method=method)
    doc = _doc(name, overloads, docs, method=method)
    overloads += deprecated_overloads(deprecated, bindable, method=method)
    called = [f for o in overloads for f in (o.base, o.out) if f is not None]
    schema = templates.section(TEMPLATE, "schema")
    schemas = "".join(schema.fill(schema=str(f.func)) for f in called)
    bodies = [_body(templates, o, return_types, method=method) for o in overloads]
    row = templates.section(TEMPLATE, "row")
    operators = tuple(f.unambiguous for f in called)
    if method and len(overloads) == 1 and not overloads[0].parameters():
        section = templates.section(TEMPLATE, "noargs")
        text = section.fill(schemas=schemas, name=name, body=bodies[0])
        function, convention = f"THPVariable_{name}", "METH_NOARGS"
    else:
        case = templates.section(TEMPLATE, "case")
        text = templates.section(TEMPLATE, "function").fill(
            schemas=schemas,
            name=name,
            parameters="".join(_parameter_table(templates, i, o) for i, o in enumerate(overloads)),
            signatures="".join(
                _signature_row(templates, i, o, method) for i, o in enumerate(overloads)
            ),
            count=str(len(overloads)),
            flags=flags
            + (" | kNumbersAsTensors" if _takes_numbers(overloads[0].function, method) else ""),
            slots=str(max(len(o.parameters()) for o in overloads)),
            receiver="self" if method else "nullptr",
            cases="".join(case.fill(index=str(i), body=body) for i, body in enumerate(bodies)),
        )
        function, convention = f"method(THPVariable_{name})", _method_flags(method)
    entry = row.fill(name=name, function=function, flags=convention, doc=doc)
    return Binding(name, text, entry, operators)


def left_out_binding(templates: Templates, name: str, *, method: bool) -> Binding:
    """Return the binding of an operator that the build leaves out: it raises."""
    text = templates.section(TEMPLATE, "left_out").fill(name=name)
    function, flags = f"method(THPVariable_{name})", _method_flags(method)
    row = templates.section(TEMPLATE, "row")
    return Binding(
        name, text, row.fill(name=name, function=function, flags=flags, doc="nullptr"), ()
    )


def _doc(name: str, overloads: Sequence[Overload], docs: OperatorDocs, *, method: bool) -> str:
    """Return the C++ string literals of the docstring, one for each of its lines."""
    functions = [o.function for o in overloads]
    module = functions[0].python_module
    public = any("function" in f.variants and f.python_module is None for f in functions)
    own = docs.key(name) == name
    whole = own and not (method and public)
    text = docstring(
        name if method else function_title(name, module),
        [(o.signature, o.function.func) for o in overloads if not o.hidden],
        docs.texts[name] if whole else docs.summary(name, method=method),
        method_of=f"torch.{name}" if own and not whole else None,
    )
    lines = text.split("\n")
    ends = ["\\n"] * (len(lines) - 1) + [""]
    return "\n ".join(f'"{_escaped(line)}{end}"' for line, end in zip(lines, ends, strict=True))


def _escaped(text: str) -> str:
    """Return the text as a C++ string literal holds it."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _method_flags(method: bool) -> str:
    return "METH_FASTCALL | METH_KEYWORDS" + ("" if method else " | METH_STATIC")


def _takes_numbers(function: NativeFunction, method: bool) -> bool:
    """Return whether a number stands for a tensor; a function cannot write to a number."""
    writes = function.func.kind is SchemaKind.inplace and not method
    return function.root_name in NUMBERS_AS_TENSORS and not writes


def _parameter_table(templates: Templates, index: int, overload: Overload) -> str:
    parameters = overload.parameters()
    if not parameters:
        return templates.section(TEMPLATE, "no_parameters").fill(index=str(index))
    required = overload.out_index if overload.base is None else None
    rows = [
        parameter_row(p, strict_number=overload.hidden, required=i == required)
        for i, p in enumerate(parameters)
    ]
    section = templates.section(TEMPLATE, "parameters")
    return section.fill(index=str(index), rows=",\n    ".join(rows))


def _positional_count(overload: Overload) -> int:
    """Return how many arguments go by position: a hidden overload's optional ones go by name."""
    positional = overload.signature.positional
    if overload.hidden:
        return sum(p.default is None for p in positional)
    return len(positional)


def _signature_row(templates: Templates, index: int, overload: Overload, method: bool) -> str:
    text = "" if overload.hidden else printed_signature(overload.parameters(), method=method)
    return templates.section(TEMPLATE, "signature").fill(
        text=_escaped(text),
        index=str(index),
        count=str(len(overload.parameters())),
        positional=str(_positional_count(overload)),
        hidden="true" if overload.hidden or overload.deprecated else "false",
    )
