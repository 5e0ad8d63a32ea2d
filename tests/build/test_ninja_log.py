"""Ninja's log on disk: which lines count, and when it is read again."""

from __future__ import annotations

from pathlib import Path

from tools.base.ninja_log import NAME, last_durations, read_entries


def write(folder: Path, *lines: str) -> None:
    (folder / NAME).write_text("# ninja log v5\n" + "".join(f"{line}\n" for line in lines))


def test_only_the_last_complete_entry_of_an_output_counts(tmp_path: Path) -> None:
    write(tmp_path, "0\t500\t7\ta.o\tff", "0\t9\t7\tb.o\tff", "0\t250\t8\ta.o\tff", "0\t9\t7\tc")
    assert [entry.output for entry in read_entries(tmp_path)] == ["b.o", "a.o"]
    assert last_durations(tmp_path)["a.o"] == 0.25


def test_a_log_that_grew_is_read_again(tmp_path: Path) -> None:
    assert read_entries(tmp_path) == []
    write(tmp_path, "0\t500\t7\ta.o\tff")
    assert len(read_entries(tmp_path)) == 1
    with (tmp_path / NAME).open("a") as log:
        log.write("0\t9\t7\tb.o\tff\n")
    assert len(read_entries(tmp_path)) == 2
    (tmp_path / NAME).unlink()
    assert read_entries(tmp_path) == []
