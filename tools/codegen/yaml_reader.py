"""Reads the generator's YAML files: a list of entries, every text with its line and column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from tools.codegen.errors import Problem, suggest


class Text(NamedTuple):
    """A scalar and where it starts; lines and columns count from 1."""

    text: str
    line: int
    column: int


Value = Text | list[Text] | list[tuple[Text, Text]]


@dataclass
class Entry:
    """One item of the file: its fields in order, and its first line."""

    line: int
    fields: dict[str, tuple[Text, Value]] = field(default_factory=dict)


def read_entries(text: str, file: str, problems: list[Problem]) -> list[Entry]:
    """All entries of the file; what could not be read is in `problems`."""
    found: list[Problem] = []
    entries = _composed(text, 0, file, found)
    if not found or entries:
        problems.extend(found)
        return entries
    # The parser stops at its first error: read item by item, to report one error for each.
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("- ")] or [0]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        entries.extend(_composed("\n".join(lines[start:end]), start, file, problems))
    if not any(problem.file == file for problem in problems):
        problems.extend(found)
    return entries


def _composed(text: str, shift: int, file: str, problems: list[Problem]) -> list[Entry]:
    """Entries by libyaml; `shift` is the number of lines before `text`."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        message = f"this is not YAML: {error.problem or error.context}"
        problems.append(Problem(file, shift + line + 1, column + 1, message))
        return []
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        message = " ".join(str(error).split()) or "nested too deeply"
        problems.append(Problem(file, shift + 1, 1, f"this is not YAML: {message}"))
        return []
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        problems.append(
            Problem(file, shift + 1, 1, "this file is a list of entries: `- name: ...`")
        )
        return []
    entries = [_Composer(file, shift, problems).entry(node) for node in root.value]
    return [entry for entry in entries if entry is not None]


@dataclass(frozen=True)
class _Composer:
    """From libyaml's nodes to entries."""

    file: str
    shift: int
    problems: list[Problem]

    def blame(self, node: yaml.Node, message: str) -> None:
        mark = node.start_mark
        self.problems.append(
            Problem(self.file, mark.line + self.shift + 1, mark.column + 1, message)
        )

    def entry(self, node: yaml.Node) -> Entry | None:
        if not isinstance(node, yaml.MappingNode):
            self.blame(node, "an entry is a mapping of fields to values")
            return None
        entry = Entry(node.start_mark.line + self.shift + 1)
        for key, value in node.value:
            name, parsed = self.text(key), self.value(value)
            if name is None or parsed is None:
                continue
            if name.text in entry.fields:
                self.blame(key, f'a second "{name.text}" in one entry')
            entry.fields[name.text] = (name, parsed)
        return entry

    def text(self, node: yaml.Node) -> Text | None:
        if not isinstance(node, yaml.ScalarNode):
            self.blame(node, "expected a plain text here")
            return None
        mark = node.start_mark
        quoted = 1 if node.style in ("'", '"') else 0
        return Text(node.value, mark.line + self.shift + 1, mark.column + 1 + quoted)

    def value(self, node: yaml.Node) -> Value | None:
        if isinstance(node, yaml.SequenceNode):
            items = [self.text(item) for item in node.value]
            return [item for item in items if item is not None]
        if isinstance(node, yaml.MappingNode):
            pairs: list[tuple[Text, Text]] = []
            for key, value in node.value:
                name, text = self.text(key), self.text(value)
                if name is None or text is None:
                    continue
                if any(name.text == known.text for known, _ in pairs):
                    self.blame(key, f'a second "{name.text}" in one mapping')
                pairs.append((name, text))
            return pairs
        return self.text(node)


def unknown(kind: str, text: Text, known: frozenset[str], file: str) -> Problem:
    """The problem of a word that is not one of the known ones."""
    message = f'unknown {kind} "{text.text}"{suggest(text.text, sorted(known))}'
    return Problem(file, text.line, text.column, message, len(text.text))
