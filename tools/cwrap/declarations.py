"""Reads .cwrap files: declarations of C functions between `[[` and `]]`, each written as YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from tools.codegen.errors import InputError, Problem, suggest

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader, if PyYAML was built with it."""
_BLOCK = re.compile(r"^\[\[\n(.*?)^\]\]$", re.MULTILINE | re.DOTALL)
_FIELDS = frozenset(("name", "cname", "return", "types", "backends", "variants", "arguments"))
_ARGUMENT_FIELDS = frozenset(("arg", "output", "default", "wrap_dim", "nullable"))


@dataclass(frozen=True)
class Argument:
    """One argument of a C function."""

    type: str
    name: str
    output: bool = False
    nullable: bool = False
    default: str | None = None
    wrap_dim: str = ""
    """The tensor whose dimension this is; it may then be negative."""


@dataclass(frozen=True)
class Declaration:
    """A function: its name for callers and the C function that does the work."""

    name: str
    cname: str
    arguments: tuple[Argument, ...]
    returns: str = "void"
    types: tuple[str, ...] = ()
    """The names of the element types for which it exists."""
    line: int = 1
    """The line of its file on which it begins."""


def read_declarations(text: str, file: str) -> list[Declaration]:
    """Return the declarations of a file.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems: list[Problem] = []
    found: list[Declaration] = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            found.append(_declaration(yaml.load(match[1], LOADER), line))
        except (yaml.YAMLError, ValueError) as error:
            problems.append(Problem(file, line, 1, " ".join(str(error).split()), 2))
    if text.count("[[") != len(found) + len(problems):
        problems.append(Problem(file, 1, 1, "a block has no line [[ or no line ]] of its own"))
    if problems:
        raise InputError(problems, {file: text})
    return found


def _declaration(block: object, line: int) -> Declaration:
    fields = _mapping(block, "a declaration", _FIELDS)
    for required in ("name", "arguments"):
        if required not in fields:
            raise ValueError(f"the field {required!r} is missing")
    return Declaration(
        str(fields["name"]),
        str(fields.get("cname", fields["name"])),
        tuple(map(_argument, fields["arguments"])),
        str(fields.get("return", "void")),
        tuple(map(str, fields.get("types", ()))),
        line,
    )


def _argument(value: object) -> Argument:
    fields = {"arg": value} if isinstance(value, str) else value
    fields = _mapping(fields, "an argument", _ARGUMENT_FIELDS)
    kind, _, name = str(fields.get("arg", "")).rpartition(" ")
    if not kind:
        raise ValueError(f"an argument is a type and a name, not {fields.get('arg')!r}")
    default = fields.get("default")
    return Argument(
        kind,
        name,
        bool(fields.get("output")),
        bool(fields.get("nullable")),
        None if default is None else str(default),
        str(fields.get("wrap_dim", "")),
    )


def _mapping(value: object, what: str, known: frozenset[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is a mapping, not {value!r}")
    for field in value:
        if field not in known:
            raise ValueError(f"unknown field {field!r}{suggest(str(field), known)}")
    return value
