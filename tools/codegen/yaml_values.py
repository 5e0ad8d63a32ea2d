"""The values in the generator's YAML files: entries of fields, every text with its position."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from tools.codegen.errors import Problem, suggest
from tools.codegen.lazy import lazy


class Text(NamedTuple):
    """A scalar and where it starts; lines and columns count from 1."""

    text: str
    line: int
    column: int

    def problem(
        self, file: str, message: str, offset: int = 0, length: int | None = None
    ) -> Problem:
        """Return a problem with the text, or with `length` characters of it from `offset` on."""
        length = len(self.text) - offset if length is None else length
        return Problem(file, self.line, self.column, message, max(1, length), offset)


Value: TypeAlias = "Text | list[Text] | list[tuple[Text, Value]]"
"""A mapping may contain mappings, which may contain no further ones."""


@dataclass
class Entry:
    """One item of the file: its fields in order, and its first line."""

    line: int
    fields: dict[str, tuple[Text, Value]] = field(default_factory=dict)

    @lazy
    def fingerprint(self) -> str:
        """Return a digest of the fields and their values, without comments, layout and position."""
        says = [(name, _content(value)) for name, (_, value) in self.fields.items()]
        return blake2b(repr(says).encode(), digest_size=12).hexdigest()


def _content(value: Value) -> object:
    """Return a value without its position."""
    if isinstance(value, Text):
        return value.text
    return [
        item.text if isinstance(item, Text) else (item[0].text, _content(item[1])) for item in value
    ]


def unknown(kind: str, text: Text, known: frozenset[str], file: str) -> Problem:
    """Return the problem of a word that is not in `known`."""
    return text.problem(file, f'unknown {kind} "{text.text}"{suggest(text.text, sorted(known))}')
