"""Read typed values from one TOML table, collecting every mistake instead of raising."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from tools.base.errors import did_you_mean

from . import predicates
from .targets import ALL_LANGUAGES, Flags

if TYPE_CHECKING:
    from .toml_positions import Path

E = TypeVar("E", bound=Enum)
T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """A mistake. Its position is the key, or with `on_value` the value, plus `offset` characters."""

    path: Path
    message: str
    on_value: bool = False
    offset: int = 0


class TableReader:
    """Reads keys of a table; `finish` reports the keys that were never read."""

    def __init__(self, table: Any, path: Path, problems: list[Problem]) -> None:
        self._path = path
        self._problems = problems
        self._asked: list[str] = []
        if not isinstance(table, Mapping):
            self.note("", "expected a table")
            table = {}
        self._table: Mapping[str, Any] = table

    def note(self, key: str, message: str, on_value: bool = False, offset: int = 0) -> None:
        path = (*self._path, key) if key else self._path
        self._problems.append(Problem(path, message, on_value, offset))

    def _get(self, key: str, kinds: tuple[type, ...], expected: str, default: Any) -> Any:
        self._asked.append(key)
        if key not in self._table:
            if default is None:
                self.note("", f"missing key {key!r}")
            return default
        value = self._table[key]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            self.note(key, f"{key} must be {expected}, not {_kind(value)}", on_value=True)
            return default
        return value

    def string(self, key: str, default: str | None = None) -> str:
        value = self._get(key, (str,), "a string", default)
        return "" if value is None else str(value)

    def strings(self, key: str, default: tuple[str, ...] | None = ()) -> tuple[str, ...]:
        value = self._get(key, (list,), "a list of strings", default) or ()
        if not all(isinstance(x, str) for x in value):
            self.note(key, f"{key} must be a list of strings", on_value=True)
            return ()
        return tuple(value)

    def boolean(self, key: str, default: bool = False) -> bool:
        return bool(self._get(key, (bool,), "true or false", default))

    def integer(self, key: str, default: int | None = None) -> int:
        return int(self._get(key, (int,), "a whole number", default) or 0)

    def number(self, key: str, default: float = 0.0) -> float:
        return float(self._get(key, (int, float), "a number", default))

    def choice(self, key: str, kind: type[E], default: E) -> E:
        text = self.string(key, str(default.value))
        known = [str(x.value) for x in kind]
        if text not in known:
            self.note(
                key, f"unknown {key} {text!r}{did_you_mean(text, known, 2) or _one_of(known)}", True
            )
            return default
        return kind(text)

    def condition(self, key: str) -> predicates.Predicate | None:
        text = self.string(key, "")
        if not text:
            return None
        try:
            return predicates.parse(text)
        except predicates.PredicateError as error:
            self.note(key, str(error), on_value=True, offset=error.column)
            return None

    def planned(self) -> bool:
        status = self.string("status", "available")
        known = ("available", "planned")
        if status not in known:
            self.note(
                "status",
                f"unknown status {status!r}{did_you_mean(status, known) or _one_of(known)}",
                True,
            )
        return status == "planned"

    def tables(self, key: str) -> list[TableReader]:
        """Return a reader for each table of an array."""
        rows = self._get(key, (list,), "an array of tables", ())
        return [
            TableReader(row, (*self._path, key, i), self._problems) for i, row in enumerate(rows)
        ]

    def string_lists(self, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Read a table whose values are lists of strings."""
        table = self._get(key, (dict,), "a table", {})
        reader = TableReader(table, (*self._path, key), self._problems)
        return tuple((name, reader.strings(name)) for name in table)

    def integers(self, key: str) -> dict[str, int]:
        """Read a table whose values are whole numbers."""
        table = self._get(key, (dict,), "a table", {})
        reader = TableReader(table, (*self._path, key), self._problems)
        return {name: reader.integer(name) for name in table}

    def texts(self, key: str) -> dict[str, str]:
        """Read a table whose values are strings."""
        table = self._get(key, (dict,), "a table", {})
        reader = TableReader(table, (*self._path, key), self._problems)
        return {name: reader.string(name) for name in table}

    def flags(self, key: str) -> Flags:
        """Read a list of arguments for every language, or a table with a list for each."""
        value = self._get(key, (list, dict), "a list of strings or a table of such lists", [])
        if isinstance(value, dict):
            return dict(self.string_lists(key))
        arguments = self.strings(key)
        return {ALL_LANGUAGES: arguments} if arguments else {}

    def finish(self) -> None:
        for key in self._table:
            if key not in self._asked:
                self.note(key, f"unknown key {key!r}{did_you_mean(key, self._asked, 2)}")


def _one_of(known: Iterable[str]) -> str:
    return "; one of " + ", ".join(known)


def _kind(value: object) -> str:
    match value:
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int():
            return "an integer"
        case float():
            return "a float"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"


# Keyed by the text of the field's annotation. A field without a default must be in the table.
_READERS: Mapping[str, Callable[[TableReader, str, Any], Any]] = {
    "str": TableReader.string,
    "bool": TableReader.boolean,
    "int": TableReader.integer,
    "float": TableReader.number,
    "tuple[str, ...]": TableReader.strings,
    "tuple[tuple[str, tuple[str, ...]], ...]": lambda reader, key, _: reader.string_lists(key),
    "Flags": lambda reader, key, _: reader.flags(key),
    "Mapping[str, str]": lambda reader, key, _: reader.texts(key),
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
