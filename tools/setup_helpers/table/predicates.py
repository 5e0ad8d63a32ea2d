"""Parse and evaluate conditions: `and`, `or`, `not`, parentheses, names, and `NAME == "value"`.

A name is an option or a platform fact; this module only looks up its value.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = bool | str | int
_TOKEN = re.compile(
    r"""\s*(?:(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<text>"[^"]*"|'[^']*')|(?P<sign>==|!=|\(|\)))"""
)


class PredicateError(ValueError):
    """A condition that does not parse; `column` is 1-based within its text."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class Name:
    """A name, true when its value is."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Equals:
    """A comparison of a name with a text."""

    name: str
    value: str
    negated: bool = False

    def __str__(self) -> str:
        return f'{self.name} {"!=" if self.negated else "=="} "{self.value}"'


@dataclass(frozen=True)
class Not:
    """The negation of a condition."""

    operand: Predicate

    def __str__(self) -> str:
        inner = f"({self.operand})" if isinstance(self.operand, (And, Or)) else str(self.operand)
        return f"not {inner}"


@dataclass(frozen=True)
class And:
    """A conjunction of conditions."""

    operands: tuple[Predicate, ...]

    def __str__(self) -> str:
        return " and ".join(f"({x})" if isinstance(x, Or) else str(x) for x in self.operands)


@dataclass(frozen=True)
class Or:
    """A disjunction of conditions."""

    operands: tuple[Predicate, ...]

    def __str__(self) -> str:
        return " or ".join(str(x) for x in self.operands)


Predicate: TypeAlias = Name | Equals | Not | And | Or


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


def _tokens(text: str) -> list[_Token]:
    tokens = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            column = position + len(text[position:]) - len(text[position:].lstrip()) + 1
            raise PredicateError(f"unexpected {text[column - 1]!r} in condition", column)
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match[kind], match.start(kind) + 1))
        position = match.end()
    tokens.append(_Token("end", "", end + 1))
    return tokens


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = 0

    def parse(self) -> Predicate:
        result = self._either()
        token = self._peek()
        if token.kind != "end":
            raise PredicateError(f"expected 'and' or 'or' before {token.text!r}", token.column)
        return result

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self, *texts: str) -> _Token | None:
        token = self._peek()
        if token.kind in ("word", "sign") and token.text in texts:
            self._next += 1
            return token
        return None

    def _either(self) -> Predicate:
        operands = [self._both()]
        while self._take("or"):
            operands.append(self._both())
        return operands[0] if len(operands) == 1 else Or(tuple(operands))

    def _both(self) -> Predicate:
        operands = [self._inverted()]
        while self._take("and"):
            operands.append(self._inverted())
        return operands[0] if len(operands) == 1 else And(tuple(operands))

    def _inverted(self) -> Predicate:
        if self._take("not"):
            return Not(self._inverted())
        return self._atom()

    def _atom(self) -> Predicate:
        if self._take("("):
            inner = self._either()
            if not self._take(")"):
                raise PredicateError("missing ')'", self._peek().column)
            return inner
        token = self._peek()
        if token.kind != "word" or token.text in ("and", "or", "not"):
            found = repr(token.text) if token.text else "the end"
            raise PredicateError(f"expected a name, found {found}", token.column)
        self._next += 1
        sign = self._take("==", "!=")
        if sign is None:
            return Name(token.text)
        value = self._peek()
        if value.kind != "text":
            raise PredicateError(f"expected a quoted value after {sign.text!r}", value.column)
        self._next += 1
        return Equals(token.text, value.text[1:-1], sign.text == "!=")


def parse(text: str) -> Predicate:
    """Parse a condition. Raise PredicateError if it is malformed."""
    return _Parser(text).parse()


def names(predicate: Predicate) -> Iterator[str]:
    """Yield every name in the condition, in order."""
    match predicate:
        case Name(name) | Equals(name):
            yield name
        case Not(operand):
            yield from names(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from names(operand)


def truth(value: Value) -> bool:
    """Whether a value counts as true: a text does unless it is empty or OFF."""
    return value not in ("", "OFF") if isinstance(value, str) else bool(value)


def evaluate(predicate: Predicate, values: Mapping[str, Value]) -> bool:
    """Evaluate a condition. Raise KeyError for a name without a value."""
    match predicate:
        case Name(name):
            return truth(values[name])
        case Equals(name, value, negated):
            actual = values[name]
            text = ("ON" if actual else "OFF") if isinstance(actual, bool) else str(actual)
            return (text == value) != negated
        case Not(operand):
            return not evaluate(operand, values)
        case And(operands):
            return all(evaluate(x, values) for x in operands)
        case Or(operands):
            return any(evaluate(x, values) for x in operands)


def both(one: Predicate | None, other: Predicate | None) -> Predicate | None:
    """Return the condition that both hold; a condition that is None always does."""
    operands = tuple(x for x in (one, other) if x is not None)
    return And(operands) if len(operands) > 1 else next(iter(operands), None)


def first_false(predicate: Predicate, values: Mapping[str, Value]) -> str:
    """Return the part of a false condition that makes it false."""
    match predicate:
        case And(operands):
            return next(str(x) for x in operands if not evaluate(x, values))
        case _:
            return str(predicate)


def target_machine(environ: Mapping[str, str] = os.environ) -> str:
    """Return the machine that the build is for, such as aarch64; empty if it is this one.

    Python's own variable for cross compilation names it, for example linux-aarch64.
    """
    return environ.get("_PYTHON_HOST_PLATFORM", "").rpartition("-")[2]


def platform_facts() -> dict[str, bool]:
    """Return the facts; their names are lower-case so that none collides with an option."""
    machine = target_machine() or (os.uname().machine if hasattr(os, "uname") else "")
    return {
        "linux": sys.platform == "linux",
        "macos": sys.platform == "darwin",
        "windows": sys.platform == "win32",
        "unix": os.name == "posix",
        "x86_64": machine in ("x86_64", "AMD64"),
        "aarch64": machine in ("aarch64", "arm64"),
    }
