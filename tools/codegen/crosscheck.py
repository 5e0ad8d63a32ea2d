"""Checks that concern several operators: unique names, structured groups, functional forms of out=.

A family whose schema already has a mistake is skipped, so that one mistake is not reported twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tools.codegen.entry import EntryReader
from tools.codegen.errors import suggest
from tools.codegen.model import NativeFunction, StructuredGroup
from tools.codegen.schema import SchemaKind


def drop_duplicates(
    functions: Iterable[NativeFunction], reader: EntryReader
) -> list[NativeFunction]:
    """Drop operators whose schema name or C++ name is already taken, and report them."""
    first: dict[str, NativeFunction] = {}
    by_identifier: dict[str, NativeFunction] = {}
    for function in functions:
        name = function.full_name
        if name in first:
            where = first[name].location
            reader.report_field(function, f'"{name}" is already declared at line {where.line}')
            continue
        first[name] = function
        other = by_identifier.setdefault(function.unambiguous, function)
        if other is not function:
            reader.report_field(
                function,
                f'"{name}" and "{other.full_name}" (line {other.location.line}) are both '
                f'"{function.unambiguous}" in C++',
            )
    return list(first.values())


def check_overloads(functions: Sequence[NativeFunction], reader: EntryReader) -> None:
    """Report functions, and methods, of one C++ name that take the same types."""
    seen: dict[tuple[str, str, tuple[str, ...]], NativeFunction] = {}
    for function in functions:
        arguments = function.func.arguments
        types = tuple(str(argument.type).replace("SymInt", "int") for argument in arguments.all)
        name = str(function.func.name.name) + ("_out" if arguments.out else "")
        for variant in sorted(function.variants):
            other = seen.setdefault((variant, name, types), function)
            if other is not function:
                message = (
                    f'C++ cannot distinguish "{function.full_name}" from "{other.full_name}" (line '
                )
                message += f"{other.location.line}): both take ({', '.join(types)})"
                reader.report_field(function, message)
                break


def check_out_variants(functions: Sequence[NativeFunction], reader: EntryReader) -> None:
    """Report public out= operators without a functional form, which Python's out= needs."""
    families: dict[str, list[NativeFunction]] = {}
    for function in functions:
        families.setdefault(function.root_name, []).append(function)
    for function in functions:
        root = function.root_name
        internal = root.startswith("_") or root.endswith("_backward") or root in reader.broken_roots
        if function.func.kind is not SchemaKind.out or function.structured or internal:
            continue
        others = [f for f in families[root] if f.func.kind is not SchemaKind.out]
        signature = function.func.signature().text
        if not any(other.func.signature().text == signature for other in others):
            there = ", ".join(f'"{f.full_name}" (line {f.location.line})' for f in others)
            message = f'"{function.full_name}" has no functional form with the same arguments'
            reader.report_field(
                function, f"{message} and results; there is {there or 'none with its name'}"
            )


def structured_groups(
    functions: Sequence[NativeFunction], reader: EntryReader
) -> tuple[StructuredGroup, ...]:
    """Build the groups that `structured_delegate` fields define."""
    declared = {function.full_name: function for function in functions}
    members: dict[str, dict[SchemaKind, NativeFunction]] = {
        name: {SchemaKind.out: f} for name, f in declared.items() if f.structured and f.func.is_out
    }
    for function in functions:
        if function.structured_delegate is not None:
            message = _delegate_mistake(function, declared, members)
            if not message:
                members[str(function.structured_delegate)][function.func.kind] = function
            elif function.structured_delegate.name.base not in reader.broken_roots:
                reader.report_field(function, message, "structured_delegate")
                reader.broken_roots.add(function.root_name)
    groups: list[StructuredGroup] = []
    for name, variants in members.items():
        out, functional = variants[SchemaKind.out], variants.get(SchemaKind.functional)
        if functional is not None:
            inplace, mutable = variants.get(SchemaKind.inplace), variants.get(SchemaKind.mutable)
            groups.append(StructuredGroup(functional, out, inplace, mutable))
        elif out.root_name not in reader.broken_roots:
            message = f'no functional operator delegates to the structured "{name}"'
            reader.report_field(out, message)
    return tuple(groups)


def _delegate_mistake(
    function: NativeFunction,
    declared: dict[str, NativeFunction],
    structured: Collection[str],
) -> str:
    name = str(function.structured_delegate)
    if function.func.kind is SchemaKind.out:
        return (
            f'an out= operator cannot delegate: other operators delegate to "{function.full_name}"'
        )
    if name not in declared:
        return f'no structured operator "{name}"{suggest(name, structured)}'
    if name not in structured:
        line = declared[name].location.line
        return f'"{name}" (line {line}) is not structured: it needs `structured: True`'
    if function.func.signature() != declared[name].func.signature():
        return f'"{name}" differs in arguments or results from "{function.full_name}"'
    return ""
