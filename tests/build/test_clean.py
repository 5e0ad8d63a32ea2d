"""`clean` deletes what the build made, and no file that it did not make."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tools.base.atomic import temporary_path

from .conditions import small_disk
from .fixture_project import ROOT, Project


def everything(root: Path) -> dict[str, str]:
    """Return the text of every file and the target of every link below a folder."""
    found = {}
    for path in root.rglob("*"):
        if path.is_symlink():
            found[str(path.relative_to(root))] = f"-> {os.readlink(path)}"
        elif path.is_file() and "__pycache__" not in path.parts:
            found[str(path.relative_to(root))] = path.read_text(errors="replace")
    return found


def put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("own_file\n")


def test_clean_restores_the_tree_as_it_was_before_the_build(project: Project) -> None:
    before = everything(project.root)
    project.run("develop")
    assert everything(project.root) != before
    project.run("clean")
    assert everything(project.root) == before
    assert not (project.root / "build").exists()


DECLARED = """
import importlib, pkgutil, tools
from tools.base.store import declared_files
from tools.setup_helpers import clean
from tools.insight.report import recorder
known = declared_files()
for each in pkgutil.walk_packages(tools.__path__, "tools."):
    if each.name.startswith(("tools.base", "tools.setup_helpers", "tools.insight")):
        importlib.import_module(each.name)
print(*sorted({*declared_files()} - {*known}))
"""


def test_clean_knows_every_file_that_a_module_declares() -> None:
    command = [sys.executable, "-c", DECLARED]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == "\n"


def test_files_that_no_build_made_are_kept(developed: Project, sources: Path) -> None:
    foreign = [
        "build/notes.txt",
        "build/CMakeFiles/notes.txt",
        "build/CMakeFiles/tiny_words.dir/src/notes.o",
        "build/lib/libmine.so",
        "build/src/own_file.c",
        "build/.ninja_log.bak",
        "tiny/lib/own_file.so",
        "src/own_file.c",
        "dist/own_file.whl",
    ]
    put(developed.root, *foreign)
    output = developed.run("clean").stdout
    assert everything(developed.root) == everything(sources) | dict.fromkeys(foreign, "own_file\n")
    assert (
        "kept files that no build made: build/.ninja_log.bak, build/CMakeFiles, build/lib" in output
    )


def test_files_older_than_the_first_build_are_kept(project: Project) -> None:
    project.run("codegen")
    put(project.root, "build/CMakeFiles/own_file/notes.cmake", "build/third_party/own_file.h")
    before = everything(project.root)
    project.run("develop")
    project.run("clean")
    own_file = {path: text for path, text in before.items() if text == "own_file\n"}
    assert len(own_file) == 2
    left = everything(project.root)
    assert {path: left.get(path) for path in own_file} == own_file
    assert {path for path in left if path.startswith("build/")} == own_file.keys()


def test_links_to_folders_outside_the_tree_are_not_followed(
    developed: Project, tmp_path: Path
) -> None:
    """The build's folders and files were replaced by links to similar ones elsewhere."""
    outside = tmp_path / "outside"
    places = ["build/lib", "build/CMakeFiles/tiny_words.dir", "build/src", "tiny/lib"]
    for place in places:
        shutil.copytree(developed.root / place, outside / place)
        shutil.rmtree(developed.root / place)
        (developed.root / place).symlink_to(outside / place)
    put(outside, "build.ninja", "CMakeCache.txt")
    for name in ("compile_commands.json", "report.json"):
        (developed.root / "build" / name).unlink()
        (developed.root / "build" / name).symlink_to(outside / "build.ninja")
    before = everything(outside)
    output = developed.run("clean").stdout
    assert everything(outside) == before
    for place in places:
        assert (developed.root / place).is_symlink()
    assert "tiny/lib/libtiny_words.so" in output


def test_a_build_directory_that_is_a_link(project: Project, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (project.root / "build").symlink_to(disk)
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"
    project.run("clean")
    assert list(disk.iterdir()) == []
    assert (project.root / "build").is_symlink()


def test_an_edited_staged_file_is_kept_and_reported(developed: Project) -> None:
    library = developed.root / "tiny/lib/libtiny_words.so"
    library.write_bytes(b"my own library")
    output = developed.run("clean").stdout
    assert library.read_bytes() == b"my own library"
    assert "kept files that no build made: tiny/lib/libtiny_words.so" in output


def test_a_copied_tree_with_new_times_is_cleaned(developed: Project, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(developed.root, copy, copy_function=shutil.copyfile)
    (copy / "tiny").touch()
    Project(copy, developed.python).run("clean")
    assert not list(copy.glob("tiny/**/*.so"))
    assert list(developed.root.glob("tiny/**/*.so"))


def test_a_tree_that_was_moved_after_ninja_alone_is_cleaned(
    developed: Project, sources: Path, tmp_path: Path
) -> None:
    """CMake names dependency files by absolute paths, so Ninja writes others in the moved tree."""
    for _ in range(2):
        (developed.root / "words.yaml").write_text("- hello\n- world\n# another\n")
        developed.call(["ninja", "-C", "build"])
    moved = Project(tmp_path / "moved", developed.python)
    shutil.move(developed.root, moved.root)
    moved.run("develop")
    assert "kept" not in moved.run("clean").stdout
    assert {*moved.files()} == {*Project(sources, developed.python).files()}


def test_a_disk_is_cleaned_that_is_full_to_the_last_byte(
    sources: Path, environment: Path, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", "32m") as disk:
        project = Project(disk / "tiny", environment)
        shutil.copytree(sources, project.root)
        project.run("develop")
        with (disk / "filler").open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
        refused = project.run("sdist", check=False)
        assert refused.returncode == 3 and "hint: free some space" in refused.stderr
        assert "have nothing to do" in project.run("explain", "rebuild").stdout
        assert "11 staged files deleted" in project.run("clean").stdout
        assert not (project.root / "build").exists()


def test_a_killed_configuration_leaves_nothing_behind(project: Project) -> None:
    before = everything(project.root)
    process = subprocess.Popen(
        [str(project.python), "setup.py", "develop"],
        cwd=project.root,
        env=project.variables(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(0.6)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    project.run("clean")
    assert everything(project.root) == before


def test_files_that_cmake_and_ninja_were_writing_when_killed_are_deleted(project: Project) -> None:
    before = everything(project.root)
    project.run("build")
    halves = ("build.ninja.tmpc80c7", "compile_commands.json.tmpafebd", ".ninja_log.recompact")
    put(project.root / "build", *halves)
    project.run("build", TINY_LOUD="1")
    assert not any((project.root / "build" / name).exists() for name in halves)
    put(project.root / "build", *halves)
    project.run("clean")
    assert everything(project.root) == before


def test_a_manifest_that_was_being_written_in_the_source_tree_is_deleted(project: Project) -> None:
    before = everything(project.root)
    project.run("develop")
    (twin,) = project.root.glob(".staged/*.json")
    half = temporary_path(str(twin))
    put(project.root, half)
    project.run("develop", TINY_LOUD="1")
    assert not Path(half).exists()
    put(project.root, half)
    project.run("clean")
    assert everything(project.root) == before


def test_plain_cmake_and_ninja_are_cleaned_too(project: Project) -> None:
    before = everything(project.root)
    project.call(["cmake", "-G", "Ninja", "-S", ".", "-B", "build"])
    project.call(["ninja", "-C", "build"])
    put(project.root, "build/CMakeFiles/notes.txt")
    project.run("clean")
    assert everything(project.root) == before | {"build/CMakeFiles/notes.txt": "own_file\n"}


def test_clean_without_a_build(project: Project) -> None:
    assert "nothing to delete" in project.run("clean").stdout
