"""One Python binding: the overloads of a name as a parser table and a switch over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tools.codegen.api import cpp
from tools.codegen.api.docstring import docstring, function_title
from tools.codegen.api.python import PythonParameter, PythonSignature, signature
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.python_convert import (
    argument_local,
    conversion,
    is_bindable,
    parameter_row,
    printed_signature,
)
from tools.codegen.emit.python_templates import template
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument, SchemaKind

# Operators that accept a Python number where the schema has a Tensor.
NUMBERS_AS_TENSORS = frozenset(
    ("add", "sub", "mul", "div", "true_divide", "floor_divide", "multiply", "divide", "subtract")
)

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


@dataclass(frozen=True)
class Overload:
    """A functional overload with the out= variant that shares its Python signature."""

    base: NativeFunction | None
    out: NativeFunction | None
    signature: PythonSignature
    hidden: bool
    values: Mapping[str, str] | None = None
    """In a deprecated signature: the value of each argument of the operators."""

    @property
    def deprecated(self) -> bool:
        return self.values is not None

    def value(self, argument: Argument) -> str:
        """Return the parameter that sets the argument, or the constant that replaces it."""
        return argument.name if self.values is None else self.values[argument.name]

    @property
    def function(self) -> NativeFunction:
        function = self.base or self.out
        assert function is not None
        return function

    def parameters(self) -> tuple[PythonParameter, ...]:
        return self.signature.parameters()

    @property
    def out_index(self) -> int:
        """The slot of out=."""
        return self.parameters().index(self.signature.out)


def group_overloads(functions: Iterable[NativeFunction], *, method: bool) -> list[Overload]:
    """Return the overloads of one name, most specific first, each with its out= variant."""
    ordered = sorted(functions, key=lambda f: str(f.func))
    outs = (
        {} if method else {signature(f).text(with_out=False): f for f in ordered if f.func.is_out}
    )
    overloads = []
    names = {str(f.func.name) for f in ordered}
    for f in ordered:
        if f.func.is_out:
            continue
        plain = signature(f, method=method)
        out = outs.pop(plain.text(with_out=False), None)
        shown = (
            plain
            if out is None
            else PythonSignature(
                plain.name, plain.positional, plain.keywords, out.func.arguments.out, plain.options
            )
        )
        name = str(f.func.name)
        hidden = (
            f.root_name in NUMBERS_AS_TENSORS
            and name.endswith(".Scalar")
            and name.replace(".Scalar", ".Tensor") in names
        )
        overloads.append(Overload(f, out, shown, hidden))
    overloads.extend(Overload(None, f, signature(f), False) for f in outs.values())
    return _sorted_by_specificity(overloads)


def deprecated_overloads(
    deprecated: Iterable[DeprecatedSignature], functions: Iterable[NativeFunction], *, method: bool
) -> list[Overload]:
    """Return the deprecated signatures of these operators, each with its out= variant."""
    names = {f.full_name for f in functions}
    known = [d for d in deprecated if d.function.full_name in names]
    outs = {d.signature().text(with_out=False): d for d in known if d.schema.is_out}
    overloads = []
    for d in known:
        if d.schema.is_out:
            continue
        shown = d.signature(method=method)
        out = None if method else outs.get(shown.text(with_out=False))
        if out is None:
            overloads.append(Overload(d.function, None, shown, False, d.values))
        else:
            values = {**out.values, **d.values}
            overloads.append(Overload(d.function, out.function, out.signature(), False, values))
    return overloads


def _could_take(one: str, other: str) -> bool:
    """Return whether `one` could accept an object that is meant for a parameter of type `other`."""
    if other in ("Tensor", "Tensor?"):
        optional = "?" if other.endswith("?") else ""
        return one == f"Scalar{optional}" or (one in ("SymInt", "int") and not optional)
    if one == "int[]":
        return other in ("int", "int?")
    return (one == "Tensor[]" and "[]" in other) or (one == "SymInt[]" and other == "int[]")


def _must_follow(one: Overload, other: Overload) -> bool:
    """Return whether `one` must be tried after `other`, as it would accept calls meant for it."""
    mine = [str(p.type) for p in one.signature.parameters(with_out=False)]
    theirs = [str(p.type) for p in other.signature.parameters(with_out=False)]
    if len(mine) != len(theirs) or mine == theirs:
        return False
    return all(a == b or _could_take(a, b) for a, b in zip(mine, theirs, strict=True))


def _sorted_by_specificity(overloads: list[Overload]) -> list[Overload]:
    """Sort overloads: first those for plain numbers, then in the order of PyTorch's parser."""
    shown = sorted((o for o in overloads if not o.hidden), key=lambda o: o.signature.text())
    waits_for = {
        i: {j for j, other in enumerate(shown) if _must_follow(one, other)}
        for i, one in enumerate(shown)
    }
    order = [i for i in waits_for if not waits_for[i]]
    for done in order:
        for i, waited in waits_for.items():
            if done in waited:
                waited.remove(done)
                if not waited:
                    order.append(i)
    return [o for o in overloads if o.hidden] + [shown[i] for i in order]


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
    numbers = function.root_name in NUMBERS_AS_TENSORS
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


def _body(overload: Overload, types: ReturnTypes, *, method: bool) -> list[str]:
    lines = _locals(overload, method)
    if overload.base is None:
        return lines + _out_lines(overload, types)
    if overload.out is not None:
        branch = ["  " + line for line in _out_lines(overload, types)]
        lines += [f"if (r.has({overload.out_index})) {{", *branch, "}"]
    f = overload.base
    returned = _returned_object(f, overload, method)
    return lines + _call(f, returned, types, _requires_grad_slot(overload))


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
    operators = tuple(f.unambiguous for o in overloads for f in (o.base, o.out) if f is not None)
    schemas = "\n// ".join(str(f.func) for o in overloads for f in (o.base, o.out) if f)
    if method and len(overloads) == 1 and not overloads[0].parameters():
        return _noargs(name, overloads[0], schemas, operators, return_types, doc)
    text = template("python_function.cpp").substitute(
        schemas=schemas,
        name=name,
        parameters="\n".join(_parameter_table(i, o) for i, o in enumerate(overloads)),
        signatures="\n".join(_signature_row(i, o, method) for i, o in enumerate(overloads)),
        count=len(overloads),
        flags=flags + (" | kNumbersAsTensors" if _takes_numbers(overloads) else ""),
        slots=max(len(o.parameters()) for o in overloads),
        receiver="self" if method else "nullptr",
        cases="\n".join(_case(i, o, method, return_types) for i, o in enumerate(overloads)),
    )
    row = f'    {{"{name}", method(THPVariable_{name}), {_method_flags(method)},\n{doc}}},'
    return Binding(name, text, row, operators)


def _doc(name: str, overloads: Sequence[Overload], docs: OperatorDocs, *, method: bool) -> str:
    """Return the C++ string literal of the docstring, one line for each of its lines."""
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
    return "\n".join(f'     "{_escaped(line)}{end}"' for line, end in zip(lines, ends, strict=True))


def _escaped(text: str) -> str:
    """Return the text as a C++ string literal holds it."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _method_flags(method: bool) -> str:
    return "METH_FASTCALL | METH_KEYWORDS" + ("" if method else " | METH_STATIC")


def _takes_numbers(overloads: Sequence[Overload]) -> bool:
    return overloads[0].function.root_name in NUMBERS_AS_TENSORS


def _noargs(
    name: str,
    overload: Overload,
    schemas: str,
    operators: tuple[str, ...],
    return_types: ReturnTypes,
    doc: str,
) -> Binding:
    lines = _body(overload, return_types, method=True)
    body = "\n".join("  " + line for line in lines)
    text = template("python_noargs.cpp").substitute(schemas=schemas, name=name, body=body)
    row = f'    {{"{name}", THPVariable_{name}, METH_NOARGS,\n{doc}}},'
    return Binding(name, text, row, operators)


def _parameter_table(index: int, overload: Overload) -> str:
    rows = [parameter_row(p, strict_number=overload.hidden) for p in overload.parameters()]
    if overload.base is None:
        rows[overload.out_index] = rows[overload.out_index].replace(", 7, ", ", 4, ")
    if not rows:
        return f"  static constexpr const Parameter* parameters_{index} = nullptr;"
    lines = ",\n".join(f"      {row}" for row in rows)
    return f"  static constexpr Parameter parameters_{index}[] = {{\n{lines}}};"


def _signature_row(index: int, overload: Overload, method: bool) -> str:
    text = "" if overload.hidden else printed_signature(overload.parameters(), method=method)
    count, positional = len(overload.parameters()), len(overload.signature.positional)
    hidden = "true" if overload.hidden or overload.deprecated else "false"
    return f'      {{"{_escaped(text)}", parameters_{index}, {count}, {positional}, {hidden}}},'


def _case(index: int, overload: Overload, method: bool, return_types: ReturnTypes) -> str:
    lines = _body(overload, return_types, method=method)
    body = "\n".join("      " + line for line in lines)
    return template("python_case.cpp").substitute(index=index, body=body).rstrip("\n")
