"""Read one table of build_config.toml into its dataclass; the types of the fields say how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any, TypeVar

from .table_reader import TableReader

T = TypeVar("T")

# Keyed by the text of the field's annotation. A field without a default must be in the table.
_READERS: Mapping[str, Callable[[TableReader, str, Any], Any]] = {
    "str": TableReader.string,
    "bool": TableReader.boolean,
    "int": TableReader.integer,
    "float": TableReader.number,
    "tuple[str, ...]": TableReader.strings,
    "tuple[tuple[str, tuple[str, ...]], ...]": lambda reader, key, _: reader.string_lists(key),
    "Mapping[str, int]": lambda reader, key, _: reader.integers(key),
    "Predicate | None": lambda reader, key, _: reader.condition(key),
}


def read_row(kind: type[T], reader: TableReader, **given: Any) -> T:
    """Read all fields but those in `given`; missing keys without a default are reported as problems."""
    read = {field.name: _read(reader, field) for field in fields(kind) if field.name not in given}  # type: ignore[arg-type]
    return kind(**given, **read)


def _read(reader: TableReader, field: Field[Any]) -> Any:
    if field.name == "planned":
        return reader.planned()
    default = None if field.default is MISSING else field.default
    if isinstance(default, Enum):
        return reader.choice(field.name, type(default), default)
    return _READERS[str(field.type)](reader, field.name, default)
