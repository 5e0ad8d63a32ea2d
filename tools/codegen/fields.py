"""The fields of one YAML entry as texts, flags, lists and pairs; mismatches become problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tools.codegen.errors import Problem, SchemaError
from tools.codegen.yaml_values import Entry, Text, Value, unknown

_T = TypeVar("_T")


@dataclass
class FieldReader:
    """Reads fields. A mistake is added to `problems`, and the field counts as absent."""

    file: str
    problems: list[Problem]

    def report(self, text: Text, message: str, offset: int = 0, length: int | None = None) -> None:
        self.problems.append(text.problem(self.file, message, offset, length))

    def located(self, at: Text, shift: int, parse: Callable[[], _T]) -> _T | None:
        """Return the result of `parse`, or report its error at the position in the file."""
        try:
            return parse()
        except SchemaError as error:
            for mistake in (error, *error.others):
                self.report(at, mistake.message, shift + mistake.offset, mistake.length)
            return None

    def value(self, entry: Entry, name: str) -> Value | None:
        found = entry.fields.get(name)
        return None if found is None else found[1]

    def text(self, entry: Entry, name: str) -> Text | None:
        value = self.value(entry, name)
        if value is None or isinstance(value, Text):
            return value
        self.report(entry.fields[name][0], f'"{name}" takes a single value')
        return None

    def word(self, entry: Entry, name: str, known: frozenset[str]) -> str | None:
        text = self.text(entry, name)
        if text is None:
            return None
        if text.text not in known:
            self.problems.append(unknown(name, text, known, self.file))
        return text.text

    def texts(self, entry: Entry, name: str) -> list[Text]:
        """Return a list, or plain text with commas, as separate texts."""
        value = self.value(entry, name)
        if value is None:
            return []
        if isinstance(value, Text):
            return pieces(value)
        items = [item for item in value if isinstance(item, Text)]
        if len(items) != len(value):
            self.report(entry.fields[name][0], f'"{name}" takes a list')
        return items

    def pairs(self, entry: Entry, name: str) -> list[tuple[Text, Text]]:
        value = self.value(entry, name)
        if value is None:
            return []
        pairs: list[tuple[Text, Text]] = []
        for item in [] if isinstance(value, Text) else value:
            if not isinstance(item, Text) and isinstance(item[1], Text):
                pairs.append((item[0], item[1]))
        if isinstance(value, Text) or len(pairs) != len(value):
            self.report(entry.fields[name][0], f'"{name}" takes lines of the form `key: value`')
        return pairs

    def flag(self, entry: Entry, name: str, default: bool) -> bool:
        text = self.text(entry, name)
        if text is None:
            return default
        if text.text.lower() not in ("true", "false"):
            self.report(text, f'"{name}" must be True or False, not "{text.text}"')
            return default
        return text.text.lower() == "true"


def pieces(text: Text) -> list[Text]:
    """Split a text at its commas."""
    found: list[Text] = []
    at = text.column
    for part in text.text.split(","):
        word = part.strip()
        if word or "," not in text.text:
            found.append(Text(word, text.line, at + len(part) - len(part.lstrip())))
        at += len(part) + 1
    return found
