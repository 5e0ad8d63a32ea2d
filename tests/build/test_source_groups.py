"""Groups of a library's sources that are compiled under a condition."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.setup_helpers.package.elf import read_elf
from tools.setup_helpers.table.config_reader import load

from .fixture_project import Project

EXPORTED = '__attribute__((visibility("default"))) '
LIBRARY = """
[[library]]
name = "tiny_words_more"
sources = ["src/more/*.c"]
destination = "tiny/lib"

[[library.group]]
name = "loud"
sources = ["src/more/loud.c"]
definitions = ["TINY_ANSWER=42"]
runpath = ["$ORIGIN/../other"]
when = "TINY_VERY_LOUD"
"""


def add_library(project: Project) -> None:
    """Write the sources, and the one row that builds, links and packs them."""
    folder = project.root / "src" / "more"
    folder.mkdir()
    (folder / "base.c").write_text(EXPORTED + "int tiny_base(void) { return 1; }\n")
    (folder / "loud.c").write_text(EXPORTED + "int tiny_loud(void) { return TINY_ANSWER; }\n")
    table = project.root / "build_config.toml"
    table.write_text(table.read_text() + LIBRARY)


def functions(project: Project) -> list[str]:
    """Return the functions that the added library has, with their results."""
    script = """
import ctypes
library = ctypes.CDLL("tiny/lib/libtiny_words_more.so")
print(*(f"{n}={getattr(library, n)()}" for n in ("tiny_base", "tiny_loud") if hasattr(library, n)))
"""
    return project.call([str(project.python), "-c", script]).stdout.split()


def test_sources_are_left_out_in_a_folder_with_special_characters(
    sources: Path, environment: Path, tmp_path: Path
) -> None:
    project = Project(tmp_path / "c++ ($x^1)" / "tiny", environment)
    shutil.copytree(sources, project.root)
    add_library(project)
    project.run("develop")
    assert functions(project) == ["tiny_base=1"]


def test_a_library_with_conditional_sources_takes_one_row(developed: Project) -> None:
    add_library(developed)
    developed.run("develop")
    assert functions(developed) == ["tiny_base=1"]
    base = developed.root / "build/CMakeFiles/tiny_words_more.dir/src/more/base.c.o"
    compiled = base.stat().st_mtime_ns
    developed.run("develop", TINY_VERY_LOUD="1")
    assert functions(developed) == ["tiny_base=1", "tiny_loud=42"]
    library = developed.root / "tiny/lib/libtiny_words_more.so"
    assert read_elf(library).runpath == ("$ORIGIN", "$ORIGIN/../other")
    assert base.stat().st_mtime_ns == compiled
    developed.edit("build_config.toml", LIBRARY, "")
    developed.run("develop")
    assert not (developed.root / "tiny/lib/libtiny_words_more.so").exists()


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('TINY_VERY_LOUD"\n', 'TINY_VERY_LOD"\n', "unknown name 'TINY_VERY_LOD'"),
        ("definitions", "define", "define"),
        ('sources = ["src/more/loud.c"]', "", "sources"),
    ],
)
def test_a_mistake_in_a_group_is_reported_at_its_line(
    project: Project, old: str, new: str, complaint: str
) -> None:
    add_library(project)
    table = project.root / "build_config.toml"
    text = table.read_text()
    table.write_text(text.replace(LIBRARY, LIBRARY.replace(old, new)))
    first = text.count("\n", 0, text.index("[[library.group]]")) + 1
    with pytest.raises(BuildError) as raised:
        load(project.root)
    line = next(line for line in raised.value.cause.splitlines() if complaint in line)
    assert first <= int(line.split(":")[1]) <= first + 5
