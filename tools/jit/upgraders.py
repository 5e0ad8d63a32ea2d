"""upgraders.yaml: programs that compute what operators did in old versions, read and checked."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.fields import FieldReader
from tools.codegen.model import Operators
from tools.codegen.parse import parse_schema
from tools.codegen.read import OperatorFile
from tools.codegen.schema import Argument, FunctionSchema
from tools.codegen.yaml_values import Entry, Text, unknown

_FIELDS = frozenset({"func", "from", "until", "program"})
_REQUIRED = ("func", "until", "program")


@dataclass(frozen=True)
class Upgrader:
    """An operator as it was in a range of versions."""

    schema: FunctionSchema
    first: int
    last: int
    program: str
    """The body of a Python function whose parameters are the arguments of the schema."""

    @property
    def name(self) -> str:
        """The name of the program, such as div_Tensor_0_3."""
        operator = str(self.schema.name).replace(".", "_")
        return f"{operator}_{self.first}_{self.last}"

    @property
    def parameters(self) -> str:
        """The parameters of the program, as Python declares them."""
        arguments = self.schema.arguments
        keywords = arguments.kwarg_only + arguments.out
        star = ["*"] if keywords else []
        return ", ".join(
            [*map(_parameter, arguments.positional), *star, *map(_parameter, keywords)]
        )


def _parameter(argument: Argument) -> str:
    """Return the argument with its default; defaults of numbers are the same text in Python."""
    default = argument.default
    return argument.name if default is None else f"{argument.name}={default}"


def read_upgraders(file: OperatorFile, operators: Operators) -> tuple[Upgrader, ...]:
    """Return the programs of the file.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems = list(file.problems)
    reader = _Reader(file.name, problems, operators)
    found = [reader.read(entry) for entry in file.entries]
    if problems:
        raise InputError(problems, {file.name: file.text})
    return tuple(upgrader for upgrader in found if upgrader is not None)


@dataclass
class _Reader(FieldReader):
    operators: Operators

    def read(self, entry: Entry) -> Upgrader | None:
        self.problems.extend(
            unknown("field", key, _FIELDS, self.file)
            for field, (key, _) in entry.fields.items()
            if field not in _FIELDS
        )
        missing = [name for name in _REQUIRED if name not in entry.fields]
        if missing:
            message = f"an entry needs {', '.join(f'`{name}:`' for name in missing)}"
            self.problems.append(Problem(self.file, entry.line, 1, message))
            return None
        func, program = self.text(entry, "func"), self.text(entry, "program")
        first, last = self._version(entry, "from"), self._version(entry, "until")
        schema = None if func is None else self.located(func, 0, lambda: parse_schema(func.text))
        if func is None or program is None or schema is None or first is None or last is None:
            return None
        self._check_name(func, schema, program)
        if first > last:
            self.report(entry.fields["until"][0], f"the range {first} to {last} is empty")
        self._check_program(program, schema)
        return Upgrader(schema, first, last, program.text)

    def _version(self, entry: Entry, name: str) -> int | None:
        text = self.text(entry, name)
        if text is None:
            return 0
        if not text.text.isdecimal():
            self.report(text, f'"{name}" takes the number of a version')
            return None
        return int(text.text)

    def _check_name(self, func: Text, schema: FunctionSchema, program: Text) -> None:
        """Report a name that is neither an operator nor a function in Python that replaces one."""
        name = str(schema.name)
        if name not in self.operators.by_name and f"torch.{schema.name.name}(" not in program.text:
            hint = suggest(name, self.operators.by_name)
            self.report(func, f"no operator {name!r}{hint}", 0, len(name))

    def _check_program(self, program: Text, schema: FunctionSchema) -> None:
        try:
            tree = ast.parse(f"def program():\n{_indented(program.text)}")
        except SyntaxError as error:
            self.report(program, f"the program is not Python: {error.msg}")
            return
        stored = {node.id for node in _names(tree) if isinstance(node.ctx, ast.Store)}
        known = {"torch", *vars(builtins), *stored, *(a.name for a in schema.arguments.all)}
        for node in _names(tree):
            if node.id not in known:
                hint = suggest(node.id, known)
                self.report(program, f"the program uses {node.id!r}, which is not defined{hint}")


def _names(tree: ast.AST) -> Iterator[ast.Name]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Name))


def _indented(program: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in program.rstrip("\n").split("\n"))
