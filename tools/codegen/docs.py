"""operator_docs.yaml: a text for each public operator, read and checked.

The file holds what a schema cannot say; the signature lines and the docstrings of methods and
in-place forms are derived from it by api/docstring.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile
from tools.codegen.yaml_values import Entry, Text

_WIDTH = 100
_CODE = re.compile(r"`[^`]*`")
_INPUT = re.compile(r"\binput\b")


@dataclass(frozen=True)
class OperatorDocs:
    """The texts by Python name, such as `add` or `linalg_vector_norm`."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def key(self, name: str) -> str | None:
        """Return the name that holds the text of `name`; an in-place form shares its base's."""
        base = name.removesuffix("_")
        return next((key for key in (name, base) if key in self.texts), None)

    def content(self, name: str) -> str:
        """Return everything that the docstrings of `name` take from the file."""
        key = self.key(name)
        return "" if key is None else self.texts[key]

    def summary(self, name: str, *, method: bool = False) -> str:
        """Return the first sentence of the docstring of `name`, or an empty text."""
        key = self.key(name)
        if key is None:
            return ""
        if key != name:
            return f"In-place version of {key}()."
        summary = self.texts[key].partition("\n")[0]
        return _CODE.sub(lambda code: _INPUT.sub("self", code[0]), summary) if method else summary

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return the public names that have no text."""
        return sorted(n for n in set(names) if not n.startswith("_") and self.key(n) is None)


def build_docs(file: OperatorFile, operators: Operators) -> OperatorDocs:
    """Return the texts of the file.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems = list(file.problems)
    known = {str(f.func.name.name) for f in operators.functions}
    known |= {name.removesuffix("_") for name in known}
    texts: dict[str, str] = {}
    lines = file.text.split("\n")
    for entry in file.entries:
        for name, text in _fields(file.name, entry, problems):
            if name.text in texts:
                problems.append(name.problem(file.name, f'a second text for "{name.text}"'))
            elif name.text not in known:
                message = f'no operator is called "{name.text}"{suggest(name.text, known)}'
                problems.append(name.problem(file.name, message))
            else:
                problems.extend(_mistakes(file.name, name, text, lines))
            texts[name.text] = text.text
    if problems:
        raise InputError(problems, {file.name: file.text})
    return OperatorDocs(texts)


def _fields(file: str, entry: Entry, problems: list[Problem]) -> Iterator[tuple[Text, Text]]:
    for name, value in entry.fields.values():
        if isinstance(value, Text):
            yield name, value
        else:
            problems.append(name.problem(file, f'"{name.text}" takes a text: `- {name.text}: |`'))


def _mistakes(file: str, name: Text, text: Text, lines: list[str]) -> Iterator[Problem]:
    """Check that a text is a one-line summary, then a blank line and the rest, all of it ASCII."""
    shown = text.text.split("\n")
    if not text.text.strip():
        yield name.problem(file, f'the text of "{name.text}" is empty')
        return
    block = lines[text.line - 1][text.column - 1 :].startswith("|")
    first = text.line + 1 if block else text.line
    if not shown[0].endswith(".") or (len(shown) > 1 and shown[1]):
        message = "a text begins with a summary: one line that ends with a full stop"
        yield Problem(file, first, text.column if not block else 5, message)
    for number, line in enumerate(lines[first - 1 : first - 1 + len(shown)], first):
        if len(line) > _WIDTH:
            message = f"the line has {len(line)} characters; the limit is {_WIDTH}"
            yield Problem(file, number, _WIDTH + 1, message, len(line) - _WIDTH)
        if line.isascii() and line.isprintable():
            continue
        for column, char in enumerate(line, 1):
            if not (char.isascii() and char.isprintable()):
                yield Problem(file, number, column, f"{char!a} is not a printable ASCII character")
