"""One entry of derivatives.yaml, checked against the operator it names."""

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
    """Whether every line could be read; what follows from a missing one is no mistake."""


@dataclass(frozen=True)
class DerivativeEntry:
    """What derivatives.yaml says of one operator."""

    function: NativeFunction
    name: Text
    sections: tuple[Section, ...]
    output_differentiability: tuple[bool, ...] | None
    output_condition: str | None


@dataclass
class DerivativeEntryReader(FieldReader):
    """Reads entries; whatever is wrong goes to `problems`, and counts as absent."""

    functions: Mapping[str, NativeFunction]
    doubtful: frozenset[str] | None = frozenset()
    """Root names of operators that may exist though they are not in `functions`; None for all."""

    def read(self, entry: Entry) -> DerivativeEntry | None:
        """The entry, or None when it names no operator."""
        _, name = entry.fields.get("name", (None, None))
        if not isinstance(name, Text):
            message = "an entry needs its operator: `- name: name(arguments) -> returns`"
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
            if self.doubtful is not None and root_name(operator) not in self.doubtful:
                hint = suggest(operator, self.functions)
                self.blame(name, f'no operator "{operator}"{hint}', 0, len(operator))
            return None
        declared = str(function.func)
        if name.text != declared:
            same = _common_prefix(name.text, declared)
            self.blame(name, f"the operator is declared as: {declared}", same)
        return function

    def _outputs(
        self, found: tuple[Text, Value] | None, results: int
    ) -> tuple[tuple[bool, ...] | None, str | None]:
        """`output_differentiability`: a flag for each result, or one C++ condition."""
        if found is None:
            return None, None
        key, value = found
        texts = [] if isinstance(value, Text) else [i for i in value if isinstance(i, Text)]
        flags = [text.text for text in texts]
        are_flags = all(flag in ("True", "False") for flag in flags)
        if not flags or not (are_flags or len(flags) == 1):
            self.blame(key, "this takes a list of True and False, or one condition in brackets")
        elif len(flags) != results:
            self.blame(key, f"{len(flags)} given, but the operator has {results} results")
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
            self.blame(key, f'an entry with `dispatch:` keeps "{key.text}" inside it')
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
            self.blame(key, f'"{key.text}" takes lines of `name: value`')
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
                self.blame(left, f'"{left.text}" takes one formula')
            elif not names or not self._is_formula(right):
                continue
            elif right.text == _NON_DIFFERENTIABLE:
                if names[0] in results:
                    self.blame(left, "results are declared in output_differentiability")
                non_differentiable.update(names)
            elif names[0] in results:
                forward[names] = right
            else:
                self._check_types(left, names, function)
                backward[names] = right
        complete = before == len(self.problems)
        return Section(
            key, _sorted(backward), _sorted(forward), frozenset(non_differentiable), complete
        )

    def _names(
        self, left: Text, function: NativeFunction, results: tuple[str, ...], seen: set[str]
    ) -> tuple[str, ...]:
        """The arguments or results that a formula is for; empty when there is a mistake."""
        arguments = {argument.name: argument for argument in function.func.arguments.all}
        names: list[str] = []
        at = 0
        for piece in left.text.split(","):
            name = piece.strip()
            start = at + len(piece) - len(piece.lstrip())
            at += len(piece) + 1
            if name in seen:
                self.blame(left, f'a second formula for "{name}"', start, len(name))
            elif name in results and name not in arguments:
                names.append(name)
            elif name not in arguments:
                hint = suggest(name, [*arguments, *results])
                message = f'{function.func.name} has no argument or result "{name}"{hint}'
                self.blame(left, message, start, len(name))
            else:
                names.append(name)
            seen.add(name)
        kinds = {name in arguments for name in names}
        if len(kinds) == 2:
            self.blame(left, "a formula is for arguments or for results, not for both")
        return tuple(names) if len(names) == left.text.count(",") + 1 and len(kinds) == 1 else ()

    def _check_types(self, left: Text, names: tuple[str, ...], function: NativeFunction) -> None:
        types = {argument.name: argument.type for argument in function.func.arguments.all}
        for name in names:
            if not is_differentiable(types[name]):
                message = f'only tensors have gradients, and "{name}" is of type {types[name]}'
                self.blame(left, message, left.text.find(name), len(name))

    def _is_formula(self, text: Text) -> bool:
        """Whether brackets and quotes close; the C++ compiler would blame the generated file."""
        plain = _STRING.sub(lambda match: "_" * len(match[0]), text.text)
        quote = plain.find('"')
        if quote >= 0:
            self.blame(text, "this string is not closed", quote)
            return False
        if not plain.strip():
            self.blame(text, "a formula is missing here")
            return False
        expected: list[tuple[str, int]] = []
        for at, char in enumerate(plain):
            if char in "([{":
                expected.append((char, at))
            elif char in _PAIRS and (not expected or expected.pop()[0] != _PAIRS[char]):
                self.blame(text, f'nothing here is closed by "{char}"', at, 1)
                return False
            elif char == ";" and not expected:
                self.blame(text, "a formula is one C++ expression, without a semicolon", at, 1)
                return False
        if expected:
            self.blame(text, "this bracket is not closed", expected[-1][1], 1)
        return not expected


def _sorted(formulas: dict[tuple[str, ...], Text]) -> dict[tuple[str, ...], Text]:
    """In the order of what stands on their left: the same whatever the order of the lines."""
    return dict(sorted(formulas.items(), key=lambda item: ", ".join(item[0])))


def _common_prefix(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))
