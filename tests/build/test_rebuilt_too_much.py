"""Apparent changes that must rebuild nothing: touched sources, lost logs, a compiler's other name."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from .fixture_project import Project, rebuilt, steps


def touch(path: Path) -> None:
    os.utime(path)


def test_with_an_edit_and_a_touched_header_only_the_edit_is_rebuilt(developed: Project) -> None:
    touch(developed.root / "src/greet.h")
    developed.edit("src/say.c", "char text[64]", "char text[65]")
    developed.run("develop")
    objects = [name for name in rebuilt(developed) if name.endswith(".o")]
    assert objects == ["say.c.o"]
    assert developed.run("develop").stdout == "up to date\n"


def test_a_touched_input_of_a_generator_rebuilds_nothing(developed: Project) -> None:
    developed.call(["ninja", "-C", "build"])
    developed.edit("src/say.c", "char text[64]", "char text[65]")
    developed.run("develop")
    touch(developed.root / "words.yaml")
    developed.edit("src/say.c", "char text[65]", "char text[66]")
    developed.run("develop")
    assert [name for name in rebuilt(developed) if "say" not in name] == []


def test_files_of_editors_are_no_sources(developed: Project) -> None:
    """Emacs marks a file with unsaved changes by a link to nowhere, and saves the changes in `#NAME#`."""
    edited = ("src/kernels/twice.c", "src/greet.h", "generator/stages.py", "tiny/__init__.py")
    for path in (developed.root / name for name in (*edited, "cmake/Summary.cmake")):
        path.with_name(f".#{path.name}").symlink_to("somebody@machine.123")
        path.with_name(f"#{path.name}#").write_text("half a wo")
    hidden = developed.root / "src/kernels/.hidden/broken.c"
    hidden.parent.mkdir()
    hidden.write_text("#error not a source\n")
    assert developed.run("develop").stdout == "up to date\n"
    assert "have nothing to do" in developed.run("explain", "rebuild").stdout
    assert "Building" not in developed.call(["ninja", "-C", "build"]).stdout
    developed.edit("src/say.c", "char text[64]", "char text[65]")
    developed.run("develop")
    assert [name for name in rebuilt(developed) if "say" not in name] == []
    developed.run("bdist_wheel")


def test_an_edit_that_was_reverted_before_it_was_built_rebuilds_nothing(
    developed: Project,
) -> None:
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n#define MORE")
    developed.edit("src/greet.h", "#pragma once\n#define MORE", "#pragma once")
    developed.edit("words.yaml", "- world", "- there")
    developed.run("develop")
    assert "stub.c.o" not in rebuilt(developed)
    assert developed.words() == "['HELLO', 'THERE']\n"


def test_an_edit_that_ninja_built_before_it_was_reverted_is_rebuilt(developed: Project) -> None:
    developed.edit("src/greet.c", "toupper", "tolower")
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['hello', 'world']\n"
    developed.edit("src/greet.c", "tolower", "toupper")
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_an_edit_that_a_failed_build_compiled_before_it_was_reverted_is_rebuilt(
    developed: Project,
) -> None:
    developed.edit("src/greet.c", "toupper", "tolower")
    developed.edit("src/say.c", "int main", "#error no\nint main")
    assert developed.run("develop", check=False).returncode == 1
    developed.edit("src/greet.c", "tolower", "toupper")
    developed.edit("src/say.c", "#error no\n", "")
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_a_source_edited_and_reverted_during_the_build_is_rebuilt(developed: Project) -> None:
    """The compiler reads the edited text, which is reverted before the build ends."""
    source = developed.root / "src/greet.c"
    kept = developed.root / "greet.c.kept"
    edited = source.read_text().replace("toupper", "tolower")
    shutil.copy2(source, kept)
    stage = developed.root / "generator/stages.py"
    stage.write_text(
        stage.read_text()
        + "\n\ndef late(context: Any) -> None:\n"
        + f"    (context.root / 'src/greet.c').write_text({edited!r})\n"
    )
    row = '[[stage]]\nname = "late"\nentry = "generator.stages:late"\ninputs = []\ndirectory = "late"\n\n'
    developed.edit("build_config.toml", "[[library]]", f"{row}[[library]]")
    developed.run("develop")
    assert developed.words() == "['hello', 'world']\n"
    source.write_bytes(kept.read_bytes())
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"


@pytest.mark.parametrize("log", [".ninja_log", ".ninja_deps"])
def test_a_lost_log_is_restored(developed: Project, log: str) -> None:
    (developed.root / "build" / log).unlink()
    developed.edit("src/say.c", "char text[64]", "char text[65]")
    output = developed.run("develop").stdout
    assert f"{log} was lost; restored from the copy" in output
    assert [name for name in rebuilt(developed) if name.endswith(".o")] == ["say.c.o"]


@pytest.mark.parametrize("log", [".ninja_log", ".ninja_deps"])
def test_a_lost_log_is_not_up_to_date(developed: Project, log: str) -> None:
    (developed.root / "build" / log).unlink()
    assert f"{log} was lost; restored from the copy" in developed.run("develop").stdout
    assert "Building" not in developed.call(["ninja", "-C", "build"]).stdout


def test_a_lost_log_without_a_copy_is_reported_with_its_cost(developed: Project) -> None:
    for name in (".ninja_log", ".ninja_log.last"):
        (developed.root / "build" / name).unlink()
    developed.edit("src/say.c", "char text[64]", "char text[65]")
    output = developed.run("develop").stdout
    assert re.search(r"\.ninja_log was lost, and there is no copy", output)
    assert "greet.c.o" in rebuilt(developed)


def test_objects_built_after_the_copy_of_the_log_are_rebuilt(developed: Project) -> None:
    """The object was built with other flags, which only the lost log recorded."""
    developed.call(["cmake", "-DTINY_LOUD=OFF", "build"])
    developed.call(["ninja", "-C", "build"])
    (developed.root / "build/.ninja_log").unlink()
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_another_name_of_the_same_compiler_changes_nothing(
    developed: Project, tmp_path: Path
) -> None:
    cc = shutil.which("cc")
    assert cc
    real = os.path.realpath(cc)
    if not re.search(r"(gcc|clang)(-[\d.]+)?$", real):
        pytest.skip(f"cc is {real}: this needs a cc that is a link to gcc or clang")
    for name in (real, cc, "cc"):
        developed.run("develop", CC=name)
        assert steps(developed)["configure"] == "up to date", name
        assert rebuilt(developed) == []
    developed.run("develop")
    assert rebuilt(developed) == []


def test_a_compiler_wrapper_is_another_compiler(developed: Project, tmp_path: Path) -> None:
    wrapper = tmp_path / "gcc"
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("cc")} "$@"\n')
    wrapper.chmod(0o755)
    developed.run("develop", CC=str(wrapper))
    assert steps(developed)["configure"] == "C compiler changed"
    assert "greet.c.o" in rebuilt(developed)


def test_a_comment_in_an_input_of_a_generator_runs_nothing(developed: Project) -> None:
    developed.call(["ninja", "-C", "build"])
    for path in ("words.yaml", "generator/stages.py"):
        (developed.root / path).write_text((developed.root / path).read_text() + "# a comment\n")
        developed.run("develop")
        assert json.loads((developed.root / "build/report.json").read_text())["rebuilt"] == []
    output = developed.call(["ninja", "-C", "build"]).stdout
    assert "Generating" not in output and "CMake" not in output


def test_objects_built_by_ninja_are_not_rebuilt_for_another_edit(developed: Project) -> None:
    developed.edit("src/say.c", "char text[64]", "char text[65]")
    developed.call(["ninja", "-C", "build"])
    (developed.root / "words.yaml").write_text("- hello\n- world\n# a comment\n")
    developed.run("develop")
    assert rebuilt(developed) == []


def test_a_restored_older_source_is_rebuilt_even_after_ninja_ran(developed: Project) -> None:
    """Ninja compares times, so it cannot notice that an older file was restored."""
    source = developed.root / "src/greet.c"
    text = source.read_text().replace("toupper", "tolower")
    source.write_text(text)
    os.utime(source, (10**9, 10**9))
    developed.call(["ninja", "-C", "build"])
    developed.run("develop")
    assert developed.words() == "['hello', 'world']\n"
