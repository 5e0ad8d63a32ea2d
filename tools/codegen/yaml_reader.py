"""Reads the generator's YAML files: a list of entries, every text with its line and column.

Supports only lists, mappings and texts: no anchors, aliases, tags or deep nesting. It consumes
libyaml's events, so that no input can cause deep recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from tools.codegen.errors import Problem
from tools.codegen.plain_yaml import plain_entry
from tools.codegen.yaml_values import Entry, Text, Value

_BETWEEN_DOCUMENTS = ("---", "...", "%")


def read_entries(text: str, file: str, problems: list[Problem]) -> list[Entry]:
    """Return all entries of the file; add mistakes to `problems`."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("- ")]
    if starts and not any(map(_has_content, lines[: starts[0]])):
        entries: list[Entry] = []
        try:
            for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
                entry = plain_entry(lines[start:end], start + 1)
                entries.extend([entry] if entry else _item_by_libyaml(lines, start, end, file))
            return entries
        except _NotYaml:
            pass
    return read_by_libyaml(text, file, problems)


def read_mapping(text: str, file: str, problems: list[Problem]) -> Entry:
    """Return the fields of a file that is one mapping; add mistakes to `problems`."""
    try:
        return _Reader(text, 0, file, problems).mapping()
    except _NotYaml as error:
        problems.append(error.problem)
    return Entry(1)


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _item_by_libyaml(lines: list[str], start: int, end: int, file: str) -> list[Entry]:
    """Read one item by itself; if it has a mistake, the whole file is read for context."""
    problems: list[Problem] = []
    if any(line.startswith(_BETWEEN_DOCUMENTS) for line in lines[start:end]):
        raise _NotYaml(Problem(file, start + 1, 1, "invalid YAML"))
    entries = _Reader("\n".join(lines[start:end]), start, file, problems).entries()
    if problems:
        raise _NotYaml(problems[0])
    return entries


def read_by_libyaml(text: str, file: str, problems: list[Problem]) -> list[Entry]:
    """Read the entries as `read_entries` does, but without the fast reader for plain entries."""
    found: list[Problem] = []
    try:
        entries = _Reader(text, 0, file, found).entries()
    except _NotYaml as error:
        # libyaml stops at its first error, so read item by item to report one error for each.
        found = []
        entries = _item_by_item(text, file, found)
        if not found:
            found.append(error.problem)
    problems.extend(found)
    return entries


def _item_by_item(text: str, file: str, problems: list[Problem]) -> list[Entry]:
    entries: list[Entry] = []
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("- ")] or [0]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        try:
            entries.extend(_Reader("\n".join(lines[start:end]), start, file, problems).entries())
        except _NotYaml as error:
            problems.append(error.problem)
    return entries


_DEEPEST = 50
"""The deepest nesting to skip over: libyaml's time grows with the square of the depth."""


class _NotYaml(Exception):
    """Raised if libyaml cannot continue."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _events(text: str, shift: int, file: str) -> Iterator[Any]:
    """Yield libyaml's events; `shift` is the number of lines before `text`."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        message = f"invalid YAML: {error.problem or error.context}"
        raise _NotYaml(Problem(file, shift + line + 1, column + 1, message)) from None
    except (yaml.YAMLError, ValueError) as error:
        message = f"invalid YAML: {' '.join(str(error).split())}"
        raise _NotYaml(Problem(file, shift + 1, 1, message)) from None


class _Reader:
    """Converts libyaml's events to entries."""

    def __init__(self, text: str, shift: int, file: str, problems: list[Problem]) -> None:
        self._events = _events(text, shift, file)
        self._shift = shift
        self._file = file
        self._problems = problems

    def entries(self) -> list[Entry]:
        entries: list[Entry] = []
        documents = 0
        for event in self._events:
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents == 2:
                        self._report(
                            event, "a second document; this file must be one list of entries"
                        )
                case yaml.SequenceStartEvent() if documents < 2:
                    self._reject_marks(event)
                    entries.extend(self._items())
                case yaml.NodeEvent():
                    self._skip(event)
                    if documents < 2 and getattr(event, "value", None) != "":
                        self._report(event, "this file must be a list of entries: `- name: ...`")
        return entries

    def mapping(self) -> Entry:
        """Return the fields of the file's only document, which must be a mapping."""
        found = Entry(1)
        documents = 0
        for event in self._events:
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents == 2:
                        self._report(event, "a second document; this file must be one mapping")
                case yaml.MappingStartEvent() if documents < 2:
                    self._reject_marks(event)
                    found = self._entry(event)
                case yaml.NodeEvent():
                    self._skip(event)
                    if documents < 2 and getattr(event, "value", None) != "":
                        self._report(event, "this file must be a mapping: `backend: Key`, ...")
        return found

    def _items(self) -> Iterator[Entry]:
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            if isinstance(event, yaml.MappingStartEvent):
                self._reject_marks(event)
                yield self._entry(event)
            else:
                self._skip(event)
                self._report(event, "an entry must be a mapping of fields to values")

    def _entry(self, start: Any) -> Entry:
        entry = Entry(start.start_mark.line + self._shift + 1)
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            name = self._text(event)
            value = self._value(next(self._events))
            if name is None or value is None:
                continue
            if name.text in entry.fields:
                self._problems.append(
                    name.problem(self._file, f'duplicate "{name.text}" in one entry')
                )
            entry.fields[name.text] = (name, value)
        return entry

    def _value(self, event: Any, depth: int = 0) -> Value | None:
        if isinstance(event, yaml.ScalarEvent):
            return self._text(event)
        if isinstance(event, yaml.SequenceStartEvent):
            self._reject_marks(event)
            return self._list()
        if isinstance(event, yaml.MappingStartEvent) and depth < 2:
            self._reject_marks(event)
            return self._pairs(depth)
        return self._text(event)

    def _list(self) -> list[Text]:
        items: list[Text] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            item = self._text(event)
            if item is not None:
                items.append(item)
        return items

    def _pairs(self, depth: int) -> list[tuple[Text, Value]]:
        pairs: dict[str, tuple[Text, Value]] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            name, value = self._text(event), self._value(next(self._events), depth + 1)
            if name is None or value is None:
                continue
            if name.text in pairs:
                self._problems.append(
                    name.problem(self._file, f'duplicate "{name.text}" in one mapping')
                )
            pairs[name.text] = (name, value)
        return list(pairs.values())

    def _text(self, event: Any) -> Text | None:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        self._skip(event)
        if isinstance(event, yaml.AliasEvent):
            self._reject_marks(event)
        else:
            self._report(event, "expected a plain value here")
        return None

    def _scalar(self, event: Any) -> Text:
        if event.anchor is not None or event.tag is not None:
            self._reject_marks(event)
        mark = event.start_mark
        quoted = 1 if event.style in ("'", '"') else 0
        value = event.value.rstrip("\n") if event.style in ("|", ">") else event.value
        return Text(value, mark.line + self._shift + 1, mark.column + 1 + quoted)

    def _reject_marks(self, event: Any) -> None:
        if event.anchor is not None:
            self._report(
                event, "anchors and aliases (& and *) are not supported; write the text out"
            )
        elif event.tag is not None:
            self._report(event, "tags (!) are not supported; write the plain text")

    def _skip(self, event: Any) -> None:
        """Consume everything that `event` begins, at any depth."""
        starts = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
        depth = int(isinstance(event, starts))
        while depth:
            if depth > _DEEPEST:
                raise _NotYaml(self._problem(event, "this is nested too deeply"))
            event = next(self._events)
            depth += isinstance(event, starts)
            depth -= isinstance(event, yaml.CollectionEndEvent)

    def _report(self, event: Any, message: str) -> None:
        self._problems.append(self._problem(event, message))

    def _problem(self, event: Any, message: str) -> Problem:
        mark = event.start_mark
        return Problem(self._file, mark.line + self._shift + 1, mark.column + 1, message)
