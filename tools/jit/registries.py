"""Programs of TorchScript for C++, and the table of their operators: shape functions, decompositions."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.codegen.emit.common import Emitter
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.source import read_text
from tools.jit.torchscript import Callables, Program, read_program

_TABLE_NAME = "OPERATORS"

Rows = Mapping[NativeFunction, str]


@dataclass(frozen=True)
class Registry:
    """A file of programs, the file with the table of their operators, and what is generated."""

    kind: str
    """What a program is, in messages."""
    programs: str
    table: str
    directory: str
    """Where the stage writes the file."""
    file: str
    """The name of the generated file and of its template."""
    calls_operators: bool
    """Whether the programs compute with tensors, of which they take all arguments."""

    @property
    def module(self) -> str:
        """Return the name of the programs in Python."""
        return self.programs.removesuffix(".py").replace("/", ".")


SHAPE_FUNCTIONS = Registry(
    kind="shape function",
    programs="torch/jit/_shape_programs.py",
    table="torch/jit/_shape_functions.py",
    directory="torch/csrc/jit/generated",
    file="serialized_shape_function_registry.cpp",
    calls_operators=False,
)
DECOMPOSITIONS = Registry(
    kind="decomposition",
    programs="torch/jit/_decomposition_programs.py",
    table="torch/_decomp/programs.py",
    directory="torch/csrc/jit/runtime",
    file="decomposition_registry_util.cpp",
    calls_operators=True,
)


def read_registry(registry: Registry, root: Path, operators: Operators) -> tuple[Program, Rows]:
    """Return the programs of a checkout, and the name of the program of each operator.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    callables = Callables.of(operators) if registry.calls_operators else Callables()
    programs, table = registry.programs, registry.table
    program = read_program(root / programs, registry.module, programs, callables)
    problems: list[Problem] = []
    text = read_text(root / table, table, problems)
    rows: dict[NativeFunction, str] = {}
    for entry in _entries(table, text, problems):
        for message in _add_rows(registry, entry, program, operators, rows):
            problems.append(Problem(table, entry.line, 1, message))
    if problems:
        raise InputError(problems, {table: text})
    return program, rows


def _add_rows(
    registry: Registry,
    entry: _Entry,
    program: Program,
    operators: Operators,
    rows: dict[NativeFunction, str],
) -> Iterator[str]:
    """Add the operators of an entry; yield what is wrong with them."""
    parameters = program.functions.get(entry.name)
    if parameters is None:
        hint = suggest(entry.name, program.functions)
        yield f"no function is called {entry.name!r}{hint}"
    for operator in entry.operators:
        function = operators.by_name.get(operator)
        if function is None:
            hint = suggest(operator, operators.by_name)
            yield f"no operator is called {operator!r}{hint}"
            continue
        if function in rows:
            yield f"{operator} has two {registry.kind}s: {rows[function]} and {entry.name}"
            continue
        rows[function] = entry.name
        taken = tuple(argument.name for argument in function.func.arguments.all)
        if registry.calls_operators and parameters is not None and parameters != taken:
            yield (
                f"{entry.name} takes ({', '.join(parameters)}), but {operator} has the arguments "
                f"({', '.join(taken)})"
            )


@dataclass(frozen=True)
class _Entry:
    """An entry of the table: the name of a function, and the names of its operators."""

    name: str
    operators: tuple[str, ...]
    line: int


def _entries(file: str, text: str, problems: list[Problem]) -> list[_Entry]:
    """Return the entries of the table in a file."""
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        problems.append(Problem(file, error.lineno or 1, error.offset or 1, error.msg))
        return []
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table):
                if name == _TABLE_NAME:
                    return _entries_of(file, table, problems)
    problems.append(Problem(file, 1, 1, f"the file has no table {_TABLE_NAME}"))
    return []


def _entries_of(file: str, table: ast.Dict, problems: list[Problem]) -> list[_Entry]:
    entries: list[_Entry] = []
    for key, value in zip(table.keys, table.values, strict=True):
        match key, value:
            case ast.Constant(value=str(name)), ast.Constant(value=str(operators)):
                entries.append(_Entry(name, tuple(operators.split()), value.lineno))
            case _:
                message = (
                    f"an entry of {_TABLE_NAME} is the name of a function and names of operators"
                )
                problems.append(Problem(file, value.lineno, 1, message))
    return entries


def emit_registry(emitter: Emitter, registry: Registry, program: Program, rows: Rows) -> None:
    """Emit the text and the table."""
    facts = (program.text, repr([(f.full_name, name) for f, name in rows.items()]))
    file = registry.file
    emitter.file(file, file, rows, partial(_holes, emitter, file, program, rows), *facts)


def _holes(emitter: Emitter, file: str, program: Program, rows: Rows) -> Mapping[str, str]:
    row = emitter.templates.section(file, "row")
    return {
        "program": program.text.rstrip("\n"),
        "rows": "".join(
            row.fill(schema=json.dumps(f"aten::{function.func}")[1:-1], name=name)
            for function, name in rows.items()
        ),
    }
