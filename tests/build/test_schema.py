"""The JSON schema of build_config.toml accepts and refuses the same as the reader."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomllib

from tools.setup_helpers.table.config_reader import ConfigReader
from tools.setup_helpers.table.json_schema import table_schema

from .fixture_project import ROOT

jsonschema = pytest.importorskip("jsonschema", reason="python -m pip install jsonschema")
PUBLISHED = ROOT / "docs/build_config.schema.json"
TABLES = (ROOT / "build_config.toml", ROOT / "tests/projects/tiny/build_config.toml")


def refused_by_schema(table: dict[str, Any]) -> bool:
    return not jsonschema.Draft7Validator(table_schema()).is_valid(table)


def refused_by_reader(table: dict[str, Any]) -> bool:
    problems: list[Any] = []
    ConfigReader(table, problems).config(Path())
    return bool(problems)


def rows_of(table: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the first row of each section, with its path for messages."""
    for section, value in table.items():
        if isinstance(value, list):
            yield section, value[0]
        elif section in ("options", "languages"):
            name = next(iter(value))
            yield f"{section}.{name}", value[name]
        else:
            yield section, value


def test_the_published_schema_is_up_to_date() -> None:
    message = "python -m tools.setup_helpers.table.json_schema > docs/build_config.schema.json"
    assert json.loads(PUBLISHED.read_text()) == table_schema(), message


@pytest.mark.parametrize("path", TABLES, ids=["torch", "tiny"])
def test_tables_that_the_reader_accepts_follow_the_schema(path: Path) -> None:
    table = tomllib.loads(path.read_text())
    found = jsonschema.Draft7Validator(table_schema()).iter_errors(table)
    assert [f"{list(error.path)}: {error.message}" for error in found] == []


@pytest.mark.parametrize("path", TABLES, ids=["torch", "tiny"])
def test_both_refuse_unknown_keys_and_other_types(path: Path) -> None:
    table = tomllib.loads(path.read_text())
    assert not refused_by_reader(table)
    for where, row in list(rows_of(table)):
        row["unknown_key"] = "x"
        assert refused_by_schema(table) and refused_by_reader(table), where
        del row["unknown_key"]
        for key, value in list(row.items()):
            row[key] = "text" if isinstance(value, int | float) else 1.5
            assert refused_by_schema(table) and refused_by_reader(table), f"{where}.{key}"
            row[key] = value


def test_both_refuse_an_unknown_section_and_a_missing_key() -> None:
    table = tomllib.loads(TABLES[1].read_text())
    more = {**table, "sections": {}}
    assert refused_by_schema(more) and refused_by_reader(more)
    for section, key in (("library", "name"), ("stage", "entry"), ("extension", "sources")):
        less = copy.deepcopy(table)
        del less[section][0][key]
        assert refused_by_schema(less) and refused_by_reader(less), (section, key)


def test_keys_are_described_for_editors() -> None:
    library = table_schema()["properties"]["library"]["items"]["properties"]
    assert library["per_python"]["description"].startswith("Built once per Python version")
    assert library["sources"]["type"] == "array"
