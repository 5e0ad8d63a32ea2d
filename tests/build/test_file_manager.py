"""Generated files: ownership, write-if-changed, stale deletion."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.base.file_manager import FileManager


def manager(root: Path, **owners: str) -> FileManager:
    return FileManager(root, "out", {f"out/{k}.h": v for k, v in owners.items()})


def test_nothing_is_written_before_commit(tmp_path: Path) -> None:
    files = manager(tmp_path)
    files.write("out/a.h", "text")
    assert not (tmp_path / "out").exists()
    assert files.commit([]) == (["out/a.h"], [])
    assert (tmp_path / "out/a.h").read_text() == "text"


def test_an_unchanged_file_keeps_its_time(tmp_path: Path) -> None:
    first = manager(tmp_path)
    first.write("out/a.h", "text")
    first.commit([])
    before = (tmp_path / "out/a.h").stat().st_mtime_ns
    second = manager(tmp_path)
    second.write("out/a.h", "text")
    assert second.commit(["out/a.h"]) == ([], [])
    assert (tmp_path / "out/a.h").stat().st_mtime_ns == before


def test_files_of_unchanged_inputs_are_kept(tmp_path: Path) -> None:
    first = manager(tmp_path)
    assert not first.unchanged("the same")
    first.write("out/a.h", "text")
    first.commit([])
    second = manager(tmp_path)
    second.reusable, second.last_meaning = first.entries(), first.meaning
    assert second.unchanged("the same")
    with pytest.raises(BuildError, match="declared unchanged"):
        second.write("out/b.h", "text")
    second.make()
    assert second.commit(["out/a.h"]) == ([], [])
    assert (tmp_path / "out/a.h").read_text() == "text"
    assert second.outputs == ["out/a.h"]
    assert second.entries() == first.entries()


@pytest.mark.parametrize("left", ["te", "next", "text"])
def test_incomplete_files_of_a_killed_run_are_completed(tmp_path: Path, left: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.h").write_text(left)
    files = manager(tmp_path)
    files.write("out/a.h", "text")
    assert files.commit([]) == ([] if left == "text" else ["out/a.h"], [])
    assert (tmp_path / "out/a.h").read_text() == "text"


def test_a_file_that_cannot_be_completed_is_not_left_behind(tmp_path: Path) -> None:
    files = manager(tmp_path)
    files.write("out/a.h", "text" * 1000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            files.commit([])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert list((tmp_path / "out").iterdir()) == []


def test_stale_files_are_deleted_with_their_empty_folder(tmp_path: Path) -> None:
    first = manager(tmp_path)
    first.write("out/ops/gone.h", "")
    first.write("out/kept.h", "")
    first.commit([])
    second = manager(tmp_path)
    second.write("out/kept.h", "")
    assert second.commit(first.outputs) == ([], ["out/ops/gone.h"])
    assert not (tmp_path / "out/ops").exists()
    assert (tmp_path / "out/kept.h").exists()


def test_two_writers_of_one_file_are_refused(tmp_path: Path) -> None:
    files = manager(tmp_path, other="aten")
    files.write("out/a.h", "1")
    with pytest.raises(BuildError, match="twice"):
        files.write("out/a.h", "1")
    with pytest.raises(BuildError, match="belongs to stage 'aten'"):
        files.write("out/other.h", "1")


@pytest.mark.parametrize(
    "path", ["../x.h", "out/../../x.h", "/tmp/x.h", "elsewhere/x.h", "outer.h"]
)
def test_a_stage_cannot_write_outside_its_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(BuildError, match="outside"):
        manager(tmp_path).write(path, "")


def test_a_file_that_moved_to_another_stage_is_not_deleted(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.h").write_text("new owner's")
    files = manager(tmp_path, a="other")
    assert files.commit(["out/a.h"]) == ([], [])
    assert (tmp_path / "out/a.h").exists()


def test_a_failed_write_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "out/a.h").mkdir(parents=True)  # a folder where the file should be
    files = manager(tmp_path)
    files.write("out/a.h", "x")
    with pytest.raises(BuildError):
        files.commit([])
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["a.h"]


@pytest.mark.parametrize("previous", [[], ["out/ops/a.h"]], ids=["new", "known"])
@pytest.mark.parametrize("size", ["small", "a folder's"])
def test_a_folder_in_place_of_a_file_is_named(
    tmp_path: Path, previous: list[str], size: str
) -> None:
    folder = tmp_path / "out/ops/a.h"
    folder.mkdir(parents=True)
    files = manager(tmp_path)
    files.write("out/ops/a.h", "x" * (1 if size == "small" else folder.stat().st_size))
    with pytest.raises(BuildError) as caught:
        files.commit(previous)
    assert caught.value.message.startswith(f"{folder} is a folder")
    assert "delete the folder" in caught.value.hint
    folder.rmdir()
    assert files.commit(previous) == (["out/ops/a.h"], [])


@pytest.mark.parametrize("previous", [[], ["out/ops/a.h"]], ids=["new", "known"])
def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path, previous: list[str]) -> None:
    file = tmp_path / "out/ops"
    file.parent.mkdir()
    file.touch()
    files = manager(tmp_path)
    files.write("out/ops/a.h", "x")
    with pytest.raises(BuildError) as caught:
        files.commit(previous)
    assert caught.value.message.startswith(f"{file} is a file")
    file.unlink()
    assert files.commit(previous) == (["out/ops/a.h"], [])
