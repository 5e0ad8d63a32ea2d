"""serialized_shape_function_registry.cpp: the shape functions as TorchScript, and their operators."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.codegen.emit.common import Emitter
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.source import read_text
from tools.jit.torchscript import Program, read_program

PROGRAMS = "torch/jit/_shape_programs.py"
TABLE = "torch/jit/_shape_functions.py"
FILE = "serialized_shape_function_registry.cpp"
_TABLE_NAME = "OPERATORS"

Rows = Mapping[NativeFunction, str]


def read_shape_functions(root: Path, operators: Operators) -> tuple[Program, Rows]:
    """Return the programs of a checkout, and the name of the program of each operator.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    program = read_program(root / PROGRAMS, "torch.jit._shape_programs", PROGRAMS)
    problems: list[Problem] = []
    text = read_text(root / TABLE, TABLE, problems)
    rows: dict[NativeFunction, str] = {}
    for entry in _entries(text, problems):
        if entry.name not in program.functions:
            hint = suggest(entry.name, program.functions)
            message = f"no function is called {entry.name!r}{hint}"
            problems.append(Problem(TABLE, entry.line, 1, message))
        for operator in entry.operators:
            function = operators.by_name.get(operator)
            if function is None:
                hint = suggest(operator, operators.by_name)
                message = f"no operator is called {operator!r}{hint}"
                problems.append(Problem(TABLE, entry.line, 1, message))
            elif function in rows:
                message = f"{operator} has two shape functions: {rows[function]} and {entry.name}"
                problems.append(Problem(TABLE, entry.line, 1, message))
            else:
                rows[function] = entry.name
    if problems:
        raise InputError(problems, {TABLE: text})
    return program, rows


@dataclass(frozen=True)
class _Entry:
    """An entry of the table: the name of a function, and the names of its operators."""

    name: str
    operators: tuple[str, ...]
    line: int


def _entries(text: str, problems: list[Problem]) -> list[_Entry]:
    """Return the entries of the table in a file."""
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        problems.append(Problem(TABLE, error.lineno or 1, error.offset or 1, error.msg))
        return []
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table):
                if name == _TABLE_NAME:
                    return _entries_of(table, problems)
    problems.append(Problem(TABLE, 1, 1, f"the file has no table {_TABLE_NAME}"))
    return []


def _entries_of(table: ast.Dict, problems: list[Problem]) -> list[_Entry]:
    entries: list[_Entry] = []
    for key, value in zip(table.keys, table.values, strict=True):
        match key, value:
            case ast.Constant(value=str(name)), ast.Constant(value=str(operators)):
                entries.append(_Entry(name, tuple(operators.split()), value.lineno))
            case _:
                message = (
                    f"an entry of {_TABLE_NAME} is the name of a function and names of operators"
                )
                problems.append(Problem(TABLE, value.lineno, 1, message))
    return entries


def shape_functions(emitter: Emitter, program: Program, rows: Rows) -> None:
    """Emit the text and the table."""
    facts = (program.text, repr([(f.full_name, name) for f, name in rows.items()]))
    emitter.file(FILE, FILE, rows, partial(_holes, emitter, program, rows), *facts)


def _holes(emitter: Emitter, program: Program, rows: Rows) -> Mapping[str, str]:
    row = emitter.templates.section(FILE, "row")
    return {
        "program": program.text.rstrip("\n"),
        "rows": "".join(
            row.fill(schema=json.dumps(f"aten::{function.func}")[1:-1], name=name)
            for function, name in rows.items()
        ),
    }
