"""The operators of a selective build: a YAML list that is recorded, merged and read back.

An item names an operator with its overload, the dtypes of its tensors, and whether gradients were
recorded for it:

    - operator: aten::add.Tensor
      dtypes: [Float, Long]
      training: True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.fields import FieldReader
from tools.codegen.lazy import lazy
from tools.codegen.model import NativeFunction
from tools.codegen.read import OperatorFile
from tools.codegen.yaml_values import Entry, unknown

DTYPES = frozenset(
    [
        "Bool",
        "Byte",
        "Char",
        "Short",
        "Int",
        "Long",
        "UInt16",
        "UInt32",
        "UInt64",
        "Half",
        "BFloat16",
        "Float",
        "Double",
        "ComplexHalf",
        "ComplexFloat",
        "ComplexDouble",
        "Float8_e5m2",
        "Float8_e4m3fn",
        "Float8_e5m2fnuz",
        "Float8_e4m3fnuz",
        "Float8_e8m0fnu",
        "Float4_e2m1fn_x2",
        *("Bits1x8", "Bits2x4", "Bits4x2", "Bits8", "Bits16"),
        *(f"{kind}{bits}" for kind in ("UInt", "Int") for bits in range(1, 8)),
    ]
)
_FIELDS = frozenset({"operator", "dtypes", "training"})


@dataclass(frozen=True)
class SelectedOperator:
    """What a program used of an operator."""

    name: str
    """With namespace and overload: `aten::add.Tensor`."""
    dtypes: frozenset[str]
    training: bool

    def merged(self, other: SelectedOperator) -> SelectedOperator:
        return SelectedOperator(
            self.name, self.dtypes | other.dtypes, self.training or other.training
        )


@dataclass(frozen=True)
class Selection:
    """The operators by name."""

    operators: Mapping[str, SelectedOperator]
    file: str = ""
    """The name of the list, for messages."""
    called: frozenset[str] | None = None
    """The names of functions that the library's sources call; None if they are not known."""

    def has(self, function: NativeFunction) -> bool:
        """Return whether the operator is built."""
        return _name(function) in self.operators

    def declares(self, function: NativeFunction) -> bool:
        """Return whether the operator exists, without kernels if it is not selected.

        The library's sources call more operators than a program reaches, and a binding has all
        overloads of its name.
        """
        if self.called is None or self.has(function):
            return True
        name = str(function.func.name.name)
        if f"{function.namespace}::{name}" in self._names:
            return True
        names = [f"{name}_out", f"{name}_outf"] if function.func.is_out else [name]
        return not self.called.isdisjoint((*names, function.unambiguous))

    @lazy
    def _names(self) -> frozenset[str]:
        """Return the names of the operators without their overloads."""
        return frozenset(name.partition(".")[0] for name in self.operators)

    def with_calls(self, names: Iterable[str]) -> Selection:
        """Return the selection in a library whose sources call functions of these names."""
        return replace(self, called=frozenset(names))

    def trains(self, function: NativeFunction) -> bool:
        """Return whether the operator's autograd formula is built."""
        selected = self.operators.get(_name(function))
        return selected is not None and selected.training

    @lazy
    def built_dtypes(self) -> frozenset[str]:
        """Return the dtypes that kernels are built for: all that were recorded, of any operator.

        Indices and masks are tensors that composite operators make, so their dtypes are always built.
        A list without dtypes has them all.
        """
        recorded = frozenset[str]().union(*(each.dtypes for each in self.operators.values()))
        return recorded | {"Bool", "Long"} if recorded else DTYPES

    def text(self) -> str:
        """Return the file's content."""
        return "".join(_item(each) for _, each in sorted(self.operators.items()))


def merged(selections: Iterable[Selection]) -> Selection:
    """Return what all programs need together."""
    operators: dict[str, SelectedOperator] = {}
    for selection in selections:
        for name, each in selection.operators.items():
            operators[name] = operators[name].merged(each) if name in operators else each
    return Selection(operators)


def read_selection(
    file: OperatorFile, functions: Iterable[NativeFunction] | None = None
) -> Selection:
    """Return the operators of a file, which must be among `functions` if these are given.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems = list(file.problems)
    known = None if functions is None else {_name(function) for function in functions}
    reader = _Reader(file.name, problems, known)
    read = [reader.read(entry) for entry in file.entries]
    operators = {each.name: each for each in read if each is not None}
    if not problems and not operators:
        problems.append(Problem(file.name, 1, 1, "the list has no operators"))
    if problems:
        raise InputError(problems, {file.name: file.text})
    return Selection(operators, Path(file.name).name)


@dataclass
class _Reader(FieldReader):
    known: set[str] | None
    """The names that the build has; None if they are not known."""

    def read(self, entry: Entry) -> SelectedOperator | None:
        for name, (key, _) in entry.fields.items():
            if name not in _FIELDS:
                self.problems.append(unknown("field", key, _FIELDS, self.file))
        name_at = self.text(entry, "operator")
        if name_at is None:
            if "operator" not in entry.fields:
                message = "an item needs a name: `operator: namespace::name.overload`"
                self.problems.append(Problem(self.file, entry.line, 1, message))
            return None
        if self.known is not None and name_at.text not in self.known:
            message = f'no operator is called "{name_at.text}"'
            if name_at.text.startswith("aten::"):
                self.report(name_at, message + suggest(name_at.text, sorted(self.known)))
            elif "::" not in name_at.text:
                self.report(name_at, f'{message}; names begin with a namespace, such as "aten::"')
        dtypes = self.texts(entry, "dtypes")
        for dtype in dtypes:
            if dtype.text not in DTYPES:
                self.problems.append(unknown("dtype", dtype, DTYPES, self.file))
        training = self.flag(entry, "training", False)
        return SelectedOperator(name_at.text, frozenset(d.text for d in dtypes), training)


def _name(function: NativeFunction) -> str:
    return f"{function.namespace}::{function.full_name}"


def _item(each: SelectedOperator) -> str:
    dtypes = f"  dtypes: [{', '.join(sorted(each.dtypes))}]\n" if each.dtypes else ""
    training = "  training: True\n" if each.training else ""
    return f"- operator: {each.name}\n{dtypes}{training}"
