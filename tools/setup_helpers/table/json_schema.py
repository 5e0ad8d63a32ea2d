"""Derive a JSON Schema of build_config.toml, for editors, from what the reader of the table asks for.

    python -m tools.setup_helpers.table.json_schema > docs/build_config.schema.json

The reader runs on a table that records each question instead of answering it, so the schema cannot
allow a key that the reader refuses, or another type. Descriptions are those of the dataclasses' fields.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from .config import CONFIG_FILE
from .config_reader import ConfigReader
from .predicates import Predicate
from .table_reader import TableReader
from .targets import Flags

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
Schema: TypeAlias = dict[str, Any]

_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
# What the reader expects, as its messages say it -> the type, and the answer to the question.
_TYPES: dict[str, tuple[Schema, Any]] = {
    "a string": ({"type": "string"}, ""),
    "a list of strings": (_STRINGS, ()),
    "true or false": ({"type": "boolean"}, False),
    "a whole number": ({"type": "integer"}, 0),
    "a number": ({"type": "number"}, 0.0),
}
_CONDITION = 'A condition: and, or, not, option names, platform facts, NAME == "value".'
_MODULES = ("config.py", "targets.py", "languages.py")


class _Recorder(TableReader):
    """A table that records which keys are read, and as what."""

    def __init__(self, text: str) -> None:
        """Answer questions for optional strings with `text`."""
        super().__init__({}, (), [])
        self._text = text
        self.properties: dict[str, Schema | _Recorder] = {}
        self.required: set[str] = set()

    def schema(self) -> Schema:
        properties = {
            key: {"type": "array", "items": each.schema()} if isinstance(each, _Recorder) else each
            for key, each in self.properties.items()
        }
        found = {"type": "object", "properties": _described(properties)}
        required = {"required": sorted(self.required)} if self.required else {}
        return {**found, **required, "additionalProperties": False}

    def note(self, key: str, message: str, on_value: bool = False, offset: int = 0) -> None:
        """Ignore complaints about the answers, which are not meant to be valid."""

    def _get(self, key: str, kinds: tuple[type, ...], expected: str, default: Any) -> Any:
        kind, answer = _TYPES[expected]
        if default is None:
            self.required.add(key)
        shown = list(default) if isinstance(default, tuple) else default
        given = {"default": shown} if shown else {}
        self.properties[key] = {**kind, **given}
        if kinds == (str,) and not default:
            return self._text
        return answer if default is None else default

    def choice(self, key: str, kind: type[E], default: E) -> E:
        self.properties[key] = {"enum": [x.value for x in kind], "default": default.value}
        return default

    def condition(self, key: str) -> Predicate | None:
        self.properties[key] = {"type": "string", "description": _CONDITION}
        return None

    def planned(self) -> bool:
        self.properties["status"] = {"enum": ["available", "planned"], "default": "available"}
        return False

    def tables(self, key: str) -> list[TableReader]:
        child = _Recorder(self._text)
        self.properties[key] = child
        return [child]

    def string_lists(self, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        self.properties[key] = _map_of(_STRINGS)
        return ()

    def integers(self, key: str) -> dict[str, int]:
        self.properties[key] = _map_of({"type": "integer"})
        return {}

    def texts(self, key: str) -> dict[str, str]:
        self.properties[key] = _map_of({"type": "string"})
        return {}

    def flags(self, key: str) -> Flags:
        self.properties[key] = {"anyOf": [_STRINGS, _map_of(_STRINGS)]}
        return {}

    def finish(self) -> None:
        """Accept that no key was given."""


def _map_of(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


class _Sections(ConfigReader):
    """Records the sections and what is read from each."""

    def __init__(self) -> None:
        super().__init__({}, [])
        self.schemas: dict[str, Schema] = {}

    def _one(self, section: str, read: Callable[[TableReader], T]) -> T:
        schema, result = _recorded(read)
        self.schemas[section] = schema
        return result

    def _rows(self, section: str, read: Callable[[TableReader], T]) -> tuple[T, ...]:
        self.schemas[section] = {"type": "array", "items": _recorded(read)[0]}
        return ()

    def _named_rows(self, section: str, read: Callable[[str, TableReader], T]) -> tuple[T, ...]:
        self.schemas[section] = _map_of(_recorded(lambda reader: read("NAME", reader))[0])
        return ()


def _recorded(read: Callable[[TableReader], T]) -> tuple[Schema, T]:
    """Return what is read, and the result. A key is required if it is, whatever other keys say."""
    empty, filled = _Recorder(""), _Recorder("x")
    result = read(empty)
    read(filled)
    empty.required &= filled.required
    return empty.schema(), result


def table_schema() -> Schema:
    """Return the schema of the whole table."""
    sections = _Sections()
    sections.config(Path())
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": CONFIG_FILE,
        "description": "Made by python -m tools.setup_helpers.table.json_schema",
        "type": "object",
        "properties": sections.schemas,
        "required": ["project"],
        "additionalProperties": False,
    }


def _described(properties: dict[str, Schema]) -> dict[str, Schema]:
    """Add the descriptions of the dataclass whose fields these are."""
    docs = max(_documented_classes(), key=lambda fields: _likeness(fields, properties))
    return {
        key: {"description": docs[key], **each} if docs.get(key) else each
        for key, each in properties.items()
    }


def _likeness(fields: dict[str, str], properties: dict[str, Schema]) -> tuple[int, int]:
    return len(fields.keys() & properties.keys()), -len(fields.keys() - properties.keys())


@cache
def _documented_classes() -> list[dict[str, str]]:
    """Return the fields of each class of the table with their docstrings, which may be empty."""
    classes = []
    for name in _MODULES:
        tree = ast.parse(Path(__file__).with_name(name).read_text(encoding="utf-8"))
        for each in tree.body:
            if isinstance(each, ast.ClassDef):
                classes.append(_documented_fields(each))
    return classes


def _documented_fields(row: ast.ClassDef) -> dict[str, str]:
    fields: dict[str, str] = {}
    last = ""
    for statement in row.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=last)):
                fields[last] = ""
            case ast.Expr(value=ast.Constant(value=str(text))) if last:
                fields[last] = " ".join(text.split())
                last = ""
            case _:
                last = ""
    return fields


if __name__ == "__main__":
    print(json.dumps(table_schema(), indent=2))
