"""The parser of the schema language. Every error has the offset of the offending text."""

from __future__ import annotations

import re
from functools import cache

from tools.codegen.errors import SchemaError
from tools.codegen.names import OperatorName
from tools.codegen.schema import (
    Annotation,
    Argument,
    Arguments,
    FunctionSchema,
    Return,
    TensorOptionsArguments,
)
from tools.codegen.types import BaseType, OptionalType, Type, parse_type

_ANNOTATION = re.compile(
    r"(?P<before>[a-z](?:\|[a-z])*)(?P<write>!?)(?: -> (?P<after>\*|[a-z](?:\|[a-z])*))?"
)
_TYPE = re.compile(r"[\w.]+(?:\((?P<annotation>[^()]*)\))?[?\[\]0-9]*", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_OPTIONS = ("dtype", "layout", "device", "pin_memory")
_OPTION_TYPES = ("ScalarType", "Layout", "Device", "bool")
_PARENTHESIS = re.compile(r"[()\"']")
_SEPARATOR = re.compile(r"[\[\](),\"']")
_CLOSE = {"(": ")", "[": "]"}


def parse_schema(text: str) -> FunctionSchema:
    """Parse `name.overload(arguments) -> returns`."""
    open_at = text.find("(")
    if open_at < 0:
        raise SchemaError("a schema needs its arguments in parentheses", 0, max(1, len(text)))
    name = OperatorName.parse(text[:open_at])
    close_at = _matching_parenthesis(text, open_at)
    arrow = " -> "
    if not text.startswith(arrow, close_at + 1):
        raise SchemaError('expected " -> " followed by the results', close_at + 1, 1)
    mistakes: list[SchemaError] = []
    arguments = _arguments(text[open_at + 1 : close_at], open_at + 1, mistakes)
    returns_at = close_at + 1 + len(arrow)
    returns = _returns(text[returns_at:], returns_at, mistakes)
    if mistakes:
        first = mistakes[0]
        raise SchemaError(first.message, first.offset, first.length, tuple(mistakes[1:]))
    schema = FunctionSchema(name, arguments, returns)
    if schema.text != text:
        differs = next(
            (i for i, (a, b) in enumerate(zip(schema.text, text, strict=False)) if a != b),
            min(len(schema.text), len(text)),
        )
        raise SchemaError(f"write this schema as: {schema.text}", differs, 1)
    _check(schema, text, open_at)
    return schema


def _skip_string(text: str, at: int) -> int:
    end = at + 1
    while end < len(text) and text[end] != text[at]:
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise SchemaError("this string is not closed", at, len(text) - at)
    return end


def _matching_parenthesis(text: str, open_at: int) -> int:
    """Return the index of the parenthesis that closes the one at `open_at`."""
    depth = 0
    at = open_at
    while (mark := _PARENTHESIS.search(text, at)) is not None:
        at = mark.start()
        if mark[0] in "\"'":
            at = _skip_string(text, at)
        elif mark[0] == "(":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise SchemaError("this parenthesis is not closed", open_at, 1)


def _split(text: str, base: int) -> list[tuple[str, int]]:
    """Split at commas outside brackets and strings; return the pieces with their offsets."""
    if not text:
        return []
    spaced = text.count(",") == text.count(", ")
    if spaced and "[" not in text and '"' not in text and "'" not in text and "(" not in text:
        plain, at = [], base
        for piece in text.split(", "):
            plain.append((piece, at))
            at += len(piece) + 2
        return plain
    pieces: list[tuple[str, int]] = []
    expected: list[tuple[str, int]] = []
    start = at = 0
    while (mark := _SEPARATOR.search(text, at)) is not None:
        at, char = mark.start(), mark[0]
        if char in "\"'":
            at = _skip_string(text, at) if not expected or expected[-1][0] == "]" else at
        elif char in "([":
            expected.append((_CLOSE[char], at))
        elif char in ")]":
            if not expected or expected.pop()[0] != char:
                raise SchemaError(f'no open bracket matches this "{char}"', base + at, 1)
        elif char == "," and not expected:
            pieces.append((text[start:at], base + start))
            start = at + 2 if text.startswith(", ", at) else at + 1
        at += 1
    if expected:
        raise SchemaError("this bracket is not closed", base + expected[-1][1], 1)
    pieces.append((text[start:], base + start))
    return pieces


@cache
def parse_annotation(text: str) -> Annotation:
    """Parse the text inside `Tensor(...)`."""
    match = _ANNOTATION.fullmatch(text)
    if match is None:
        raise SchemaError(
            f'"{text}" is not an alias annotation such as "a", "a!" or "a -> *"', 0, len(text) or 1
        )
    after = match["after"]
    return Annotation(
        tuple(match["before"].split("|")),
        match["write"] == "!",
        () if after is None else tuple(after.split("|")),
    )


@cache
def _annotated_type(text: str) -> tuple[Type, Annotation | None]:
    match = _TYPE.fullmatch(text)
    if match is None:
        raise SchemaError(f'"{text}" is not a type', 0, max(1, len(text)))
    inside = match["annotation"]
    if inside is None:
        return parse_type(text), None
    at = match.start("annotation")
    if not text.startswith("Tensor("):
        raise SchemaError("only a Tensor can be annotated", at - 1, len(inside) + 2)
    try:
        annotation = parse_annotation(inside)
    except SchemaError as error:
        raise error.moved(at) from None
    return parse_type(text.replace(f"({inside})", "", 1)), annotation


@cache
def parse_argument(text: str) -> Argument:
    """Parse `Type name` or `Type name=default`."""
    declaration, equals, default = text.partition("=")
    if equals and not default:
        raise SchemaError("a default value is missing after =", len(declaration), 1)
    type_text, space, name = declaration.rpartition(" ")
    if not space or not type_text:
        raise SchemaError("expected an argument: Type name", 0, max(1, len(text)))
    if not _NAME.fullmatch(name):
        message = f'"{name}" is not an argument name'
        raise SchemaError(message, len(type_text) + 1, max(1, len(name)))
    type, annotation = _annotated_type(type_text)
    return Argument(name, type, default if equals else None, annotation)


@cache
def parse_return(text: str) -> Return:
    """Parse `Type` or `Type name`."""
    match = re.fullmatch(r"(.*[^ ]) ([A-Za-z_]\w*)", text, re.ASCII)
    if match is not None and not match[1].endswith("->"):
        type, annotation = _annotated_type(match[1])
        return Return(match[2], type, annotation)
    type, annotation = _annotated_type(text)
    return Return(None, type, annotation)


def _arguments(text: str, base: int, mistakes: list[SchemaError]) -> Arguments:
    positional: list[Argument] = []
    keyword: list[Argument] = []
    current = positional
    seen: set[str] = set()
    for piece, at in _split(text, base):
        if piece == "*":
            if current is keyword:
                raise SchemaError("a second *", at, 1)
            current = keyword
            continue
        try:
            argument = parse_argument(piece)
        except SchemaError as error:
            mistakes.append(error.moved(at))
            continue
        if argument.name in seen:
            message = f'duplicate argument "{argument.name}"'
            mistakes.append(SchemaError(message, at, len(piece)))
        seen.add(argument.name)
        current.append(argument)
    if current is keyword and not keyword and not mistakes:
        raise SchemaError("no argument follows the *", base + max(0, len(text) - 1), 1)
    return _by_role(positional, keyword)


def _by_role(positional: list[Argument], keyword: list[Argument]) -> Arguments:
    self_at = next((i for i, a in enumerate(positional) if a.name == "self"), None)
    pre_self = () if self_at is None else tuple(positional[:self_at])
    post_self = positional if self_at is None else positional[self_at + 1 :]
    out_at = next((i for i, a in enumerate(keyword) if a.is_write), len(keyword))
    inputs, out = keyword[:out_at], keyword[out_at:]
    options_at = next(
        (i for i in range(len(inputs) - 3) if _is_options(inputs[i : i + 4])), len(inputs)
    )
    options = inputs[options_at : options_at + 4]
    return Arguments(
        pre_self=pre_self,
        self_arg=None if self_at is None else positional[self_at],
        post_self=tuple(post_self),
        pre_options=tuple(inputs[:options_at]),
        options=TensorOptionsArguments(*options) if options else None,
        post_options=tuple(inputs[options_at + 4 :]),
        out=tuple(out),
    )


def _is_options(arguments: list[Argument]) -> bool:
    return all(
        argument.name == name and _is(argument.type, type)
        for argument, name, type in zip(arguments, _OPTIONS, _OPTION_TYPES, strict=True)
    )


def _is(type: Type, name: str) -> bool:
    inner = type.elem if isinstance(type, OptionalType) else type
    return inner == BaseType(name)


def _returns(text: str, base: int, mistakes: list[SchemaError]) -> tuple[Return, ...]:
    if text.startswith("(") and text.endswith(")"):
        text, base = text[1:-1], base + 1
    elif text.startswith("("):
        raise SchemaError("this parenthesis is not closed at the end", base, 1)
    parsed: list[Return] = []
    for piece, at in _split(text, base):
        try:
            parsed.append(parse_return(piece))
        except SchemaError as error:
            mistakes.append(error.moved(at))
    return tuple(parsed)


def _check(schema: FunctionSchema, text: str, open_at: int) -> None:
    """Check rules that concern a single schema."""
    arguments = schema.arguments
    for argument in arguments.out:
        if not argument.is_write:
            at = text.find(str(argument), open_at)
            raise SchemaError(
                "only out arguments may follow an out argument", at, len(str(argument))
            )
    if schema.name.name.inplace:
        self_arg = arguments.self_arg
        if self_arg is None or not self_arg.is_write:
            raise SchemaError(
                'an in-place operator must write its self: "Tensor(a!) self"', 0, open_at
            )
        if arguments.out:
            raise SchemaError("an in-place operator cannot have out arguments", 0, open_at)
