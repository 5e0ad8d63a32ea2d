"""`ninja -C build` without the front end: it generates, configures and stages only what is out of date."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tools.setup_helpers.state import graph_records

from .fixture_project import Project, rebuilt, steps

COPY = "tiny/include/more.h"


def ninja(project: Project, check: bool = True) -> str:
    result = project.call(["ninja", "-C", "build"], check=check)
    return result.stdout + result.stderr


def is_done(project: Project) -> bool:
    return "no work to do" in ninja(project)


@pytest.fixture
def header(developed: Project) -> Path:
    """An unused header, staged by Ninja."""
    # Before the first run, Ninja does not know the dependencies of staging.
    assert not is_done(developed)
    path = developed.root / "src/more.h"
    path.write_text("/* nothing compiles this */\n")
    ninja(developed)
    assert (developed.root / COPY).read_bytes() == path.read_bytes()
    assert is_done(developed)
    return path


def test_an_unused_header_is_staged_again_when_its_source_changes(
    developed: Project, header: Path
) -> None:
    copy = developed.root / COPY
    header.write_text("/* edited */\n")
    ninja(developed)
    assert copy.read_text() == "/* edited */\n"
    header.unlink()
    ninja(developed)
    assert not copy.exists()
    header.write_text("/* restored */\n")
    os.utime(header, (10**9, 10**9))  # from a backup
    ninja(developed)
    assert copy.read_text() == "/* restored */\n"
    assert is_done(developed)


def test_an_input_that_cannot_be_read_is_named(developed: Project) -> None:
    missing = developed.root / "generator/more.py"
    missing.symlink_to("nowhere.py")
    output = ninja(developed, check=False)
    assert f"error: No such file or directory: {missing}\n" in output
    assert "Traceback" not in output


@pytest.mark.parametrize("damage", ["deleted", "edited", "replaced by a link"])
def test_a_damaged_staged_copy_is_replaced(developed: Project, header: Path, damage: str) -> None:
    copy = developed.root / COPY
    if damage == "edited":
        copy.write_text("/* by hand */\n")
    else:
        copy.unlink()
    if damage == "replaced by a link":
        copy.symlink_to(developed.root / "src/greet.h")
    ninja(developed)
    assert not copy.is_symlink() and copy.read_bytes() == header.read_bytes()
    assert is_done(developed)


@pytest.mark.parametrize("how", ["edited", "deleted"])
def test_a_lost_generated_file_is_regenerated_before_it_is_compiled(
    developed: Project, how: str
) -> None:
    ninja(developed)
    generated = developed.root / "build/src/words.c"
    before = generated.read_text()
    if how == "edited":
        generated.write_text(before.replace("world", "by hand"))
    else:
        generated.unlink()
    ninja(developed)
    assert generated.read_text() == before
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert is_done(developed)


def test_an_edited_yaml_generates_without_configuring(developed: Project) -> None:
    ninja(developed)
    developed.edit("words.yaml", "- world", "- ninja")
    output = ninja(developed)
    assert developed.words() == "['HELLO', 'NINJA']\n"
    assert "Configuring done" not in output
    assert is_done(developed)


def test_a_mistake_in_a_yaml_is_reported_and_changes_nothing(developed: Project) -> None:
    ninja(developed)
    before = (developed.root / "build/src/words.c").read_bytes()
    developed.edit("words.yaml", "- world", "- [world")
    result = developed.call(["ninja", "-C", "build"], check=False)
    assert result.returncode
    assert "code generation stage 'words' failed" in result.stdout
    assert (developed.root / "build/src/words.c").read_bytes() == before
    developed.edit("words.yaml", "- [world", "- world")
    ninja(developed)
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_the_first_import_leaves_nothing_to_stage(developed: Project) -> None:
    for folder in developed.root.glob("tiny/**/__pycache__"):
        shutil.rmtree(folder)
    ninja(developed)
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert list(developed.root.glob("tiny/__pycache__/*"))
    assert is_done(developed)


def test_a_new_input_is_noticed(developed: Project) -> None:
    """The new input matches a pattern of the stage and is imported by another module."""
    ninja(developed)
    (developed.root / "generator/more.py").write_text("WORD = 'more'\n")
    assert "Generating" in ninja(developed)
    assert is_done(developed)


EDITS = {
    "a CMake file": ("CMakeLists.txt", 'set(ending "")', 'set(ending "?")'),
    "the table": (
        "build_config.toml",
        'sources = ["src/greet.c", "src/kernels/*.c"]',
        'sources = ["src/greet.c", "src/kernels/*.c", "src/more.c"]',
    ),
    "the source lists": ("generator/stages.py", '"src/words.c"', '"src/word.c"'),
}


@pytest.mark.parametrize("edit", EDITS)
def test_develop_accepts_what_ninja_configured(developed: Project, edit: str) -> None:
    (developed.root / "src/more.c").write_text("int tiny_more(void) { return 1; }\n")
    developed.edit(*EDITS[edit])
    assert "Configuring done" in ninja(developed)
    developed.run("develop")
    assert steps(developed)["configure"] == "up to date"
    assert rebuilt(developed) == []
    assert developed.run("develop").stdout == "up to date\n"
    developed.edit("src/greet.c", "#include", "\n#include")
    developed.run("develop")
    assert steps(developed)["configure"] == "up to date"


def test_a_graph_edited_after_ninja_configured_is_not_accepted(developed: Project) -> None:
    developed.edit(*EDITS["a CMake file"])
    ninja(developed)
    graph = developed.root / "build/build.ninja"
    graph.write_text(graph.read_text() + "# by hand\n")
    developed.run("develop")
    assert steps(developed)["configure"] != "up to date"
    assert "by hand" not in graph.read_text()


def test_the_summary_is_printed_once_and_then_only_its_changes(project: Project) -> None:
    with (project.root / "CMakeLists.txt").open("a") as file:
        file.write("include(cmake/Summary.cmake)\nprint_summary()\n")
    first = project.call(["cmake", "-G", "Ninja", "-B", "build"]).stdout
    assert "Summary" in first and "TINY_LOUD  " in first and "BUILD_DIR" in first
    again = project.call(["cmake", "build"]).stdout
    assert "TINY_LOUD" not in again and "Changed" not in again
    project.edit(
        "build_config.toml", 'help = "Greet in capitals"\ndefault = "ON"', 'help = "Greet"'
    )
    output = ninja(project)
    lines = [line for line in output.splitlines() if line.startswith("--   ")]
    assert {line.split()[1] for line in lines} == {
        "TINY_LOUD",
        "TINY_VERY_LOUD",
    }  # and what depends on it
    assert "Changed since CMake last ran" in output


def test_one_call_of_bare_ninja_is_enough_after_an_edit(developed: Project) -> None:
    developed.edit("words.yaml", "- world", "- ninja")
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['HELLO', 'NINJA']\n"
    again = developed.call(["ninja", "-C", "build"]).stdout
    assert "no work to do" in again


def test_outputs_of_a_bare_ninja_are_not_rebuilt(developed: Project) -> None:
    """CMake makes Ninja rewrite its log with one more entry, which the front end accepts."""
    (developed.root / "src/more.c").write_text("int tiny_more(void) { return 1; }\n")
    developed.edit("build_config.toml", '"src/greet.c"', '"src/greet.c", "src/more.c"')
    developed.call(["ninja", "-C", "build"])
    output = developed.run("develop").stdout
    assert "was damaged" not in output
    assert rebuilt(developed) == []


def test_a_log_that_ninja_replaced_twice_is_not_damaged(developed: Project) -> None:
    """The file system may give the second new log the inode of the original."""
    log = developed.root / "build/.ninja_log"
    developed.edit("words.yaml", "- world", "- where")
    developed.run("develop")
    inode = log.stat().st_ino
    if not graph_records._identity(log) & 0xFFFFFFFF:
        pytest.skip("this file system does not count the generations of an inode (overlayfs)")
    developed.edit("src/greet.c", "#include", "/* longer */ #include")
    developed.call(["ninja", "-C", "build"])
    head, first, *others, end = log.read_bytes().split(b"\n")
    for number in range(1000):
        written = log.with_name(f"log{number}")
        written.write_bytes(b"\n".join([head, *others, first, end]))
        if not number or written.stat().st_ino == inode:
            written.replace(log)
    if log.stat().st_ino != inode:
        pytest.skip("this file system did not use the inode again")
    developed.edit("words.yaml", "- where", "- there")
    output = developed.run("develop").stdout
    assert "was damaged" not in output
    assert "words.c.o" in rebuilt(developed) and "greet.c.o" not in rebuilt(developed)


def test_a_log_damaged_after_a_bare_ninja_is_restored(developed: Project) -> None:
    log = developed.root / "build/.ninja_log"
    developed.edit("build_config.toml", 'name = "tiny_say"', 'name = "tiny_say" # again')
    developed.call(["ninja", "-C", "build"])
    whole = log.read_bytes()
    place = whole.index(b"\n", 200) + 1
    log.write_bytes(whole[:place] + bytes(range(200, 240)) + whole[place + 40 :])
    output = developed.run("develop").stdout
    assert ".ninja_log was damaged; restored from the copy" in output
    assert "greet.c.o" not in rebuilt(developed)
