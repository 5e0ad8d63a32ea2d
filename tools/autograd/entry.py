"""Checks one entry of derivatives.yaml against the operator that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tools.autograd.model import DEFAULT_KEY
from tools.autograd.results import is_differentiable, result_names
from tools.codegen.errors import Problem, suggest
from tools.codegen.fields import FieldReader
from tools.codegen.keys import AUTOGRAD_KEYS
from tools.codegen.model import NativeFunction
from tools.codegen.names import root_name
from tools.codegen.yaml_values import Entry, Text, Value, unknown

_NON_DIFFERENTIABLE = "non_differentiable"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True)
class Section:
    """The formulas of one autograd key, by the names on their left."""

    key: str
    backward: Mapping[tuple[str, ...], Text]
    forward: Mapping[tuple[str, ...], Text]
    non_differentiable: frozenset[str]
    complete: bool
    """Whether every line could be read; if not, follow-up mistakes are not reported."""


@dataclass(frozen=True)
class DerivativeEntry:
    """The content of an operator's entry in derivatives.yaml."""

    function: NativeFunction
    name: Text
    sections: tuple[Section, ...]
    output_differentiability: tuple[bool, ...] | None
    output_condition: str | None


@dataclass
class DerivativeEntryReader(FieldReader):
    """Reads entries. A mistake is added to `problems`, and the field counts as absent."""

    functions: Mapping[str, NativeFunction]
    doubtful: frozenset[str] | None = frozenset()
    """Root names of operators that may exist although `functions` lacks them; None for all."""
    ignored: list[str] | None = None
    """Collects the names of other operators that do not exist; None to report them as mistakes."""

    def read(self, entry: Entry) -> DerivativeEntry | None:
        """Return the entry, or None if it names no operator."""
        _, name = entry.fields.get("name", (None, None))
        if not isinstance(name, Text):
            message = "an entry needs an operator: `- name: name(arguments) -> returns`"
            self.problems.append(Problem(self.file, entry.line, 1, message))
            return None
        function = self._function(name)
        if function is None:
            return None
        fields = {key: found for key, found in entry.fields.items() if key != "name"}
        differentiability, condition = self._outputs(
            fields.pop("output_differentiability", None), len(function.func.returns)
        )
        return DerivativeEntry(
            function,
            name,
            self._sections(function, fields),
            differentiability,
            condition,
        )

    def _function(self, name: Text) -> NativeFunction | None:
        operator = name.text.partition("(")[0].strip()
        function = self.functions.get(operator)
        if function is None:
            if self.ignored is not None:
                self.ignored.append(operator)
            elif self.doubtful is not None and root_name(operator) not in self.doubtful:
                hint = suggest(operator, self.functions)
                self.report(name, f'no operator "{operator}"{hint}', 0, len(operator))
            return None
        declared = str(function.func)
        if name.text != declared:
            same = _common_prefix(name.text, declared)
            self.report(name, f"the operator is declared as: {declared}", same)
        return function

    def _outputs(
        self, found: tuple[Text, Value] | None, results: int
    ) -> tuple[tuple[bool, ...] | None, str | None]:
        """Read `output_differentiability`: a flag for each result, or one C++ condition."""
        if found is None:
            return None, None
        key, value = found
        texts = [] if isinstance(value, Text) else [i for i in value if isinstance(i, Text)]
        flags = [text.text for text in texts]
        are_flags = all(flag in ("True", "False") for flag in flags)
        if not flags or not (are_flags or len(flags) == 1):
            self.report(key, "expected a list of True and False, or one condition in brackets")
        elif len(flags) != results:
            self.report(key, f"expected a flag for each of the {results} results, not {len(flags)}")
        elif are_flags:
            return tuple(flag == "True" for flag in flags), None
        else:
            return None, flags[0]
        return None, None

    def _sections(
        self, function: NativeFunction, fields: dict[str, tuple[Text, Value]]
    ) -> tuple[Section, ...]:
        found = fields.pop("dispatch", None)
        if found is None:
            return (self._section(function, DEFAULT_KEY, list(fields.values())),)
        for key, _ in fields.values():
            self.report(key, f'an entry with `dispatch:` must have "{key.text}" inside it')
        sections: list[Section] = []
        known = frozenset({DEFAULT_KEY, *AUTOGRAD_KEYS})
        for key, formulas in self._lines(*found):
            if key.text not in known:
                self.problems.append(unknown("autograd key", key, known, self.file))
            else:
                sections.append(self._section(function, key.text, self._lines(key, formulas)))
        return tuple(sections)

    def _lines(self, key: Text, value: Value) -> list[tuple[Text, Value]]:
        pairs = [] if isinstance(value, Text) else [i for i in value if not isinstance(i, Text)]
        if isinstance(value, Text) or len(pairs) != len(value):
            self.report(key, f'"{key.text}" takes lines of the form `name: value`')
        return pairs

    def _section(
        self, function: NativeFunction, key: str, lines: list[tuple[Text, Value]]
    ) -> Section:
        results = result_names(function.func)
        backward: dict[tuple[str, ...], Text] = {}
        forward: dict[tuple[str, ...], Text] = {}
        non_differentiable: set[str] = set()
        seen: set[str] = set()
        before = len(self.problems)
        for left, right in lines:
            names = self._names(left, function, results, seen)
            if not isinstance(right, Text):
                self.report(left, f'"{left.text}" takes one formula')
            elif not names or not self._check_syntax(right):
                continue
            elif right.text == _NON_DIFFERENTIABLE:
                if names[0] in results:
                    self.report(left, "declare results in output_differentiability")
                non_differentiable.update(names)
            elif names[0] in results:
                forward[names] = right
            else:
                self._check_types(left, names, function)
                backward[names] = right
        complete = before == len(self.problems)
        return Section(
            key,
            _sort_formulas(backward),
            _sort_formulas(forward),
            frozenset(non_differentiable),
            complete,
        )

    def _names(
        self, left: Text, function: NativeFunction, results: tuple[str, ...], seen: set[str]
    ) -> tuple[str, ...]:
        """Return the arguments or results that a formula is for; empty if there is a mistake."""
        arguments = {argument.name: argument for argument in function.func.arguments.all}
        names: list[str] = []
        at = 0
        for piece in left.text.split(","):
            name = piece.strip()
            start = at + len(piece) - len(piece.lstrip())
            at += len(piece) + 1
            if name in seen:
                self.report(left, f'duplicate formula for "{name}"', start, len(name))
            elif name in results and name not in arguments:
                names.append(name)
            elif name not in arguments:
                hint = suggest(name, [*arguments, *results])
                message = f'{function.func.name} has no argument or result "{name}"{hint}'
                self.report(left, message, start, len(name))
            else:
                names.append(name)
            seen.add(name)
        kinds = {name in arguments for name in names}
        if len(kinds) == 2:
            self.report(left, "a formula is for arguments or for results, not both")
        return tuple(names) if len(names) == left.text.count(",") + 1 and len(kinds) == 1 else ()

    def _check_types(self, left: Text, names: tuple[str, ...], function: NativeFunction) -> None:
        types = {argument.name: argument.type for argument in function.func.arguments.all}
        for name in names:
            if not is_differentiable(types[name]):
                message = f'only tensors have gradients, and "{name}" is of type {types[name]}'
                self.report(left, message, left.text.find(name), len(name))

    def _check_syntax(self, text: Text) -> bool:
        """Check that brackets and quotes close; C++ would report it in the generated file."""
        plain = _STRING.sub(lambda match: "_" * len(match[0]), text.text)
        quote = plain.find('"')
        if quote >= 0:
            self.report(text, "this string is not closed", quote)
            return False
        if not plain.strip():
            self.report(text, "this formula is empty")
            return False
        expected: list[tuple[str, int]] = []
        for at, char in enumerate(plain):
            if char in "([{":
                expected.append((char, at))
            elif char in _PAIRS and (not expected or expected.pop()[0] != _PAIRS[char]):
                self.report(text, f'no open bracket matches this "{char}"', at, 1)
                return False
            elif char == ";" and not expected:
                self.report(
                    text, "a formula must be one C++ expression, without a semicolon", at, 1
                )
                return False
        if expected:
            self.report(text, "this bracket is not closed", expected[-1][1], 1)
        return not expected


def _sort_formulas(formulas: dict[tuple[str, ...], Text]) -> dict[tuple[str, ...], Text]:
    """Sort formulas by the names on their left, whatever the order of the lines."""
    return dict(sorted(formulas.items(), key=lambda item: ", ".join(item[0])))


def _common_prefix(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))
