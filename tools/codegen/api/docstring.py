"""Docstrings of Python bindings: signature lines from the schemas, then the operator's text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tools.codegen.api.python import PythonParameter, PythonSignature
from tools.codegen.schema import FunctionSchema
from tools.codegen.types import ListType, OptionalType, Type

_DEFAULTS = {
    "Mean": "0",  # see python_convert.py
    "[]": "()",
    "long": "torch.int64",
    "contiguous_format": "torch.contiguous_format",
}
_ARGUMENTS = re.compile(r"^Args:\n(?:    .*\n)+", re.MULTILINE)
_OUT = (
    "    out: The tensor that receives the result.\n",
    "    out: The tensors that receive the results.\n",
)
_RESULTS = {"SymInt": "int", "Scalar": "Number", "ScalarType": "torch.dtype"}


@dataclass(frozen=True)
class _Line:
    """A signature as a docstring shows it."""

    parameters: tuple[PythonParameter, ...]
    result: str

    def covers(self, other: _Line) -> bool:
        """Return whether every call that `other` describes is also described by this line."""
        mine = {_name(p): (i, p) for i, p in enumerate(self.parameters)}
        theirs = {_name(p): (i, p) for i, p in enumerate(other.parameters)}
        if self.result != other.result or not mine.keys() >= theirs.keys():
            return False
        if any(p.default is None for name, (_, p) in mine.items() if name not in theirs):
            return False
        return all(_accepts(mine[name], given) for name, given in theirs.items())

    def merged(self, others: Iterable[_Line]) -> _Line:
        """Return this line with optional keywords, if that describes another overload too.

        `div(input, other, *, rounding_mode)` takes None, which means the same as its absence.
        """
        optional = replace(self, parameters=tuple(map(_optional_keyword, self.parameters)))
        covered = any(optional.covers(other) for other in others if other is not self)
        return optional if covered else self

    def text(self, title: str) -> str:
        shown: list[str] = []
        for parameter in self.parameters:
            if parameter.keyword_only and "*" not in shown:
                shown.append("*")
            default = parameter.default
            shown.append(_name(parameter) + ("" if default is None else f"={_default(default)}"))
        return f"{title}({', '.join(shown)}) -> {self.result}"


def _accepts(mine: tuple[int, PythonParameter], other: tuple[int, PythonParameter]) -> bool:
    """Return whether a parameter can be given, or left out, wherever the other one can."""
    (index, one), (position, another) = mine, other
    if another.default is not None and one.default is None:
        return False
    return another.keyword_only or (not one.keyword_only and index == position)


def _optional_keyword(parameter: PythonParameter) -> PythonParameter:
    required = parameter.keyword_only and parameter.default is None
    takes_none = required and isinstance(parameter.type, OptionalType)
    return replace(parameter, default="None") if takes_none else parameter


def _name(parameter: PythonParameter) -> str:
    return "input" if parameter.name == "self" else parameter.name


def _default(text: str) -> str:
    if text.startswith("[") and text not in _DEFAULTS:
        return f"({text[1:-1]})"
    return _DEFAULTS.get(text, text.replace('"', "'"))


def _type(type: Type) -> str:
    if isinstance(type, OptionalType):
        return f"{_type(type.elem)} | None"
    if isinstance(type, ListType):
        return f"tuple of {_type(type.elem)}s"
    return _RESULTS.get(str(type), str(type))


def _result(schema: FunctionSchema) -> str:
    shown = [(f"{r.name}: " if r.name else "") + _type(r.type) for r in schema.returns]
    if not shown:
        return "None"
    if len(shown) == 1:
        return _type(schema.returns[0].type)
    return f"({', '.join(shown)})"


def signature_lines(
    title: str, overloads: Iterable[tuple[PythonSignature, FunctionSchema]]
) -> list[str]:
    """Return one line for each overload that another one does not cover."""
    lines = [_Line(signature.parameters(), _result(schema)) for signature, schema in overloads]
    lines = [line.merged(lines) for line in lines]
    kept: list[_Line] = []
    for line in lines:
        if not any(known.covers(line) for known in kept):
            kept = [known for known in kept if not line.covers(known)]
            kept.append(line)
    kept.sort(key=lambda line: sum(not p.keyword_only for p in line.parameters))
    return [line.text(title) for line in kept]


def function_title(name: str, module: str | None) -> str:
    """Return the name under which users call a function: `add`, `linalg.vector_norm`."""
    if module is None or not name.startswith(f"{module}_"):
        return name
    return f"{module}.{name.removeprefix(f'{module}_')}"


def docstring(
    title: str,
    overloads: Iterable[tuple[PythonSignature, FunctionSchema]],
    text: str,
    *,
    method_of: str | None = None,
) -> str:
    """Return the docstring of a binding.

    Args:
        title: The name in the signature lines.
        overloads: The signatures and the schemas that return their results.
        text: The operator's text; without one, the docstring is only the signature lines.
        method_of: For a method, the public function that has the full text.
    """
    overloads = tuple(overloads)
    lines = signature_lines(title, overloads)
    if not text:
        return "\n".join(lines)
    outs = max((len(signature.outs) for signature, _ in overloads), default=0)
    if outs:
        text = _ARGUMENTS.sub(rf"\g<0>{_OUT[outs > 1]}", text)
    reference = [] if method_of is None else ["", f"See :func:`{method_of}`."]
    return "\n".join((*lines, "", text, *reference))
