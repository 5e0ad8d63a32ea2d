"""Records of a build directory: what is written is read, and anything else reads as absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.base.store import ReadableRecord, Record

PLAIN: Record[dict[str, int]] = Record("plain.json")
VERSIONED: Record[dict[str, Any]] = Record("versioned.json", format=2)
READABLE: Record[dict[str, int]] = ReadableRecord("readable.json")


@pytest.mark.parametrize("record", [PLAIN, VERSIONED, READABLE], ids=lambda record: record.name)
def test_a_record_is_read_as_it_was_written(record: Record[dict[str, Any]], tmp_path: Path) -> None:
    assert record.read(tmp_path) is None
    assert record.write(tmp_path, {"a": 1})
    assert record.read(tmp_path) == {"a": 1}
    assert not record.write(tmp_path, {"a": 1})
    record.delete(tmp_path)
    record.delete(tmp_path)
    assert record.read(tmp_path) is None


@pytest.mark.parametrize("record", [PLAIN, VERSIONED], ids=lambda record: record.name)
def test_every_changed_byte_and_every_cut_is_noticed(
    record: Record[dict[str, Any]], tmp_path: Path
) -> None:
    record.write(tmp_path, {"a": 1, "b": [1, 2]})
    path = tmp_path / record.name
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place])
        assert record.read(tmp_path) is None
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert record.read(tmp_path) is None
    path.write_bytes(whole)
    assert record.read(tmp_path) == {"a": 1, "b": [1, 2]}


def test_another_format_reads_as_absent(tmp_path: Path) -> None:
    newer: Record[dict[str, Any]] = Record(VERSIONED.name, format=3)
    newer.write(tmp_path, {"a": 1})
    assert VERSIONED.read(tmp_path) is None
    without: Record[dict[str, Any]] = Record(VERSIONED.name)
    without.write(tmp_path, {"a": 1})
    assert VERSIONED.read(tmp_path) is None
    PLAIN.write(tmp_path, [])  # type: ignore[arg-type]
    assert VERSIONED.read_file(tmp_path / PLAIN.name) is None


def test_a_readable_record_is_plain_json(tmp_path: Path) -> None:
    READABLE.write(tmp_path, {"a": 1})
    assert json.loads((tmp_path / READABLE.name).read_text()) == {"a": 1}
    (tmp_path / READABLE.name).write_text("{")
    assert READABLE.read(tmp_path) is None
