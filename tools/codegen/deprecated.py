"""deprecated.yaml: old signatures that Python still accepts, each with the call it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.codegen.api import cpp
from tools.codegen.api.python import PythonSignature, schema_signature
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.fields import FieldReader, pieces
from tools.codegen.model import Location, NativeFunction, Operators
from tools.codegen.parse import parse_schema
from tools.codegen.read import OperatorFile
from tools.codegen.schema import Argument, FunctionSchema
from tools.codegen.yaml_values import Entry, Text, unknown

_FIELDS = frozenset({"name", "aten"})
_CALL = re.compile(r"(\w+)\((.*)\)", re.ASCII)
_CONSTANT = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class DeprecatedSignature:
    """An old signature and the call that replaces it."""

    function: NativeFunction
    """The operator to call."""
    schema: FunctionSchema
    """The old signature."""
    values: Mapping[str, str]
    """For each argument of the operator, the parameter that sets it or a constant."""
    location: Location

    def signature(self, *, method: bool = False) -> PythonSignature:
        return schema_signature(self.schema, method=method)

    def text(self) -> str:
        """Return the signature as PyTorch's parser reads it."""
        return f"{self.signature().text()}|deprecated"

    @property
    def content(self) -> str:
        """Everything except the line number, as one string."""
        return f"{self.schema} {self.values}"


def build_deprecated(file: OperatorFile, operators: Operators) -> tuple[DeprecatedSignature, ...]:
    """Return the signatures of the file.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems = list(file.problems)
    reader = _Reader(file.name, problems, _by_call(operators.functions))
    found = [reader.read(entry) for entry in file.entries]
    if problems:
        raise InputError(problems, {file.name: file.text})
    return tuple(signature for signature in found if signature is not None)


def _by_call(functions: Sequence[NativeFunction]) -> dict[str, list[NativeFunction]]:
    """Group operators by the name of their C++ function."""
    found: dict[str, list[NativeFunction]] = {}
    for function in functions:
        found.setdefault(cpp.name(function.func), []).append(function)
    return found


def _parameters(function: NativeFunction) -> tuple[Argument, ...]:
    """Return the arguments in the order of the C++ function: out arguments come first."""
    arguments = function.func.arguments
    return (*arguments.out, *arguments.non_out)


@dataclass
class _Reader(FieldReader):
    by_call: Mapping[str, list[NativeFunction]]
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each signature read so far."""

    def read(self, entry: Entry) -> DeprecatedSignature | None:
        unknown_fields = [key for label, (key, _) in entry.fields.items() if label not in _FIELDS]
        self.problems.extend(unknown("field", key, _FIELDS, self.file) for key in unknown_fields)
        name, aten = self.text(entry, "name"), self.text(entry, "aten")
        if name is None or aten is None:
            if not unknown_fields and not _FIELDS.issubset(entry.fields):
                message = "an entry needs a signature, `name:`, and its call, `aten:`"
                self.problems.append(Problem(self.file, entry.line, 1, message))
            return None
        schema = self.located(name, 0, lambda: parse_schema(name.text))
        if schema is None:
            return None
        first = self.lines.setdefault(str(schema), name.line)
        if first != name.line:
            self.report(name, f'"{schema}" is already declared at line {first}')
            return None
        return self._signature(name, schema, aten)

    def _signature(
        self, name: Text, schema: FunctionSchema, aten: Text
    ) -> DeprecatedSignature | None:
        call = _CALL.fullmatch(aten.text)
        if call is None:
            self.report(aten, "expected a call: operator(argument, argument)")
            return None
        if call[1] not in self.by_call:
            hint = suggest(call[1], self.by_call)
            self.report(aten, f'no operator has a C++ function "{call[1]}"{hint}', 0, len(call[1]))
            return None
        given = pieces(Text(call[2], aten.line, aten.column + call.start(2)))
        arguments = {argument.name: argument for argument in schema.arguments.all}
        if not self._check_parameters(given, arguments):
            return None
        for function in self.by_call[call[1]]:
            parameters = _parameters(function)
            if _accepts(parameters, given, arguments):
                names = [parameter.name for parameter in parameters]
                values = dict(zip(names, [text.text for text in given], strict=True))
                return DeprecatedSignature(function, schema, values, Location(self.file, name.line))
        self.report(aten, f'no overload of "{call[1]}" takes these arguments')
        return None

    def _check_parameters(self, given: Sequence[Text], arguments: Mapping[str, Argument]) -> bool:
        """Check that the call uses every parameter of the signature, and nothing else."""
        before = len(self.problems)
        for text in given:
            if text.text not in arguments and not _CONSTANT.fullmatch(text.text):
                hint = suggest(text.text, arguments)
                self.report(text, f'"{text.text}" is neither a parameter nor a number{hint}')
        missing = set(arguments) - {text.text for text in given}
        if missing and given and len(self.problems) == before:
            self.report(given[-1], f"the call leaves out {', '.join(sorted(missing))}")
        return len(self.problems) == before


def _accepts(
    parameters: Sequence[Argument], given: Sequence[Text], arguments: Mapping[str, Argument]
) -> bool:
    """Return whether the operator can be called with these arguments.

    A constant must match a number; the other types must be equal.
    """
    if len(parameters) != len(given):
        return False
    for parameter, text in zip(parameters, given, strict=True):
        argument = arguments.get(text.text)
        if argument is None:
            if str(parameter.type) not in ("Scalar", "int", "float"):
                return False
        elif argument.type != parameter.type:
            return False
    return True
