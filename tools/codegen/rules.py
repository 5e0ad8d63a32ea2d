"""Rules for schemas beyond the grammar: aliases, defaults, names that C++ can use."""

from __future__ import annotations

from collections.abc import Iterator

from tools.codegen.defaults import default_mistake
from tools.codegen.errors import SchemaError
from tools.codegen.schema import Argument, FunctionSchema, Return, SchemaKind
from tools.codegen.types import BaseType, CustomClassType, ListType, OptionalType

# fmt: off
_CPP_KEYWORDS = frozenset([
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class",
    "compl", "concept", "const", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false",
    "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace",
    "new", "noexcept", "not", "nullptr", "operator", "or", "private", "protected", "public",
    "register", "requires", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
])
# fmt: on


_LONGEST_NAME = 150
"""The longest operator name: header names add a dispatch key and an ending, in 255 bytes."""


def mistakes(func: FunctionSchema) -> Iterator[SchemaError]:
    """Find every mistake in the schema; each has its offset in `str(func)`."""
    yield from _names(func)
    yield from _types(func)
    yield from _defaults(func)
    yield from _aliases(func)
    yield from _written_results(func)


def offset_of(func: FunctionSchema, part: Argument | Return) -> int:
    """Return the offset of the argument or result in `str(func)`."""
    at = len(str(func.name)) + 1
    for argument in func.arguments.positional:
        if argument is part:
            return at
        at += len(str(argument)) + 2
    at += len("*, ")
    for argument in func.arguments.kwarg_only + func.arguments.out:
        if argument is part:
            return at
        at += len(str(argument)) + 2
    at = len(f"{func.name}({func.arguments}) -> ") + (len(func.returns) != 1)
    for result in func.returns:
        if result is part:
            return at
        at += len(str(result)) + 2
    raise ValueError(f"{part} is not part of {func}")


def _mistake(func: FunctionSchema, part: Argument | Return, message: str) -> SchemaError:
    return SchemaError(message, offset_of(func, part), len(str(part)))


def _names(func: FunctionSchema) -> Iterator[SchemaError]:
    name = str(func.name.name)
    if name in _CPP_KEYWORDS:
        yield SchemaError(
            f'"{name}" is a keyword of C++, so it cannot name an operator', 0, len(name)
        )
    if len(name) > _LONGEST_NAME:
        message = f"this name is too long for a file name: {len(name)} characters, at most {_LONGEST_NAME}"
        yield SchemaError(message, 0, len(name))
    for argument in func.arguments.all:
        if argument.name in _CPP_KEYWORDS:
            message = f'"{argument.name}" is a keyword of C++, so it cannot name an argument'
            yield _mistake(func, argument, message)


def _types(func: FunctionSchema) -> Iterator[SchemaError]:
    """Check that lists hold plain values or optional tensors: C++ has no type for others."""
    parts: tuple[Argument | Return, ...] = (*func.arguments.all, *func.returns)
    for part in parts:
        items = part.type.list_type()
        inner = part.type.elem if isinstance(part.type, OptionalType) else None
        if isinstance(inner, OptionalType) or (items is not None and not _plain_items(items)):
            yield _mistake(func, part, f'there is no type "{part.type}"')


def _plain_items(items: ListType) -> bool:
    return isinstance(items.elem, (BaseType, CustomClassType)) or str(items) == "Tensor?[]"


def _defaults(func: FunctionSchema) -> Iterator[SchemaError]:
    for argument in func.arguments.all:
        if argument.default is None:
            continue
        message = default_mistake(argument.type, argument.default)
        if message is not None:
            at = offset_of(func, argument) + len(str(argument)) - len(argument.default)
            yield SchemaError(message, at, len(argument.default))
    optional = ""
    for argument in func.arguments.positional:
        if argument.default is not None:
            optional = argument.name
        elif optional:
            message = f'"{argument.name}" needs a default, because "{optional}" before it has one'
            yield _mistake(func, argument, message)


def _aliases(func: FunctionSchema) -> Iterator[SchemaError]:
    """Check that every alias letter belongs to one argument, and that results use those letters."""
    owners: dict[str, Argument] = {}
    for argument in func.arguments.all:
        for letter in argument.annotation.before if argument.annotation else ():
            if letter in owners:
                message = f'the alias "{letter}" already belongs to "{owners[letter].name}"'
                yield _mistake(func, argument, message)
            owners.setdefault(letter, argument)
    used: set[str] = set()
    for result in func.returns:
        for letter in result.annotation.before if result.annotation else ():
            used.add(letter)
            owner = owners.get(letter)
            if owner is None:
                yield _mistake(func, result, f'no argument has the alias "{letter}"')
            elif result.annotation and owner.is_write != result.annotation.is_write:
                message = f'write "{letter}!" both on "{owner.name}" and here, or on neither'
                yield _mistake(func, result, message)
    for letter, owner in owners.items():
        if letter not in used and not owner.is_write:
            message = f'no result has the alias "{letter}" of "{owner.name}"'
            yield _mistake(func, owner, message)


def _written_results(func: FunctionSchema) -> Iterator[SchemaError]:
    """Check that in-place and out= operators return what they write, or nothing."""
    self_arg = func.arguments.self_arg
    if func.kind is SchemaKind.inplace and self_arg is not None and func.returns:
        if func.returns[0].annotation != self_arg.annotation or len(func.returns) != 1:
            message = f"an in-place operator must return its self, {_annotated(self_arg)}, or ()"
            yield _mistake(func, func.returns[0], message)
    elif func.kind is SchemaKind.out and func.returns:
        expected = [argument.annotation for argument in func.arguments.out]
        if [r.annotation for r in func.returns if r.annotation] != expected:
            results = ", ".join(map(_annotated, func.arguments.out))
            message = f"an out= operator must return what it writes, in that order: {results}"
            yield _mistake(func, func.returns[0], message)


def _annotated(argument: Argument) -> str:
    return str(argument).split(" " + argument.name)[0]
