"""Headers of an optional part are staged in a development tree only while its option is on."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from .fixture_project import Project
from .test_staged_files import staged

ROWS = """
[[packaging.files]]
root = "src/kernels"
patterns = ["*.h"]
to = "tiny/include/kernels"
wheel = "library"
editable = true
when = '{when}'

[[packaging.files]]
root = "phrases"
patterns = ["**/*.h"]
to = "tiny/include/kernels/phrases"
wheel = "library"
generated = true
editable = true
when = '{when}'
"""
PART = "tiny/include/kernels/"
# Switches that CMake sees, that it does not see, and a choice.
CONDITIONS = [
    ("TINY_VERY_LOUD", {"TINY_VERY_LOUD": "1"}),
    ("not TINY_POLITE", {"TINY_POLITE": "0"}),
    ('TINY_REPAIR == "OFF"', {"TINY_REPAIR": "OFF"}),
    ("MAX_JOBS", {"MAX_JOBS": "2"}),
]


def add_part(project: Project, when: str) -> None:
    project.edit(
        "build_config.toml",
        '\n[[packaging.files]]\nroot = "replies"',
        ROWS.format(when=when) + '\n[[packaging.files]]\nroot = "replies"',
    )


def part(project: Project) -> set[str]:
    return {path for path in staged(project) if path.startswith(PART)}


@pytest.fixture
def optional(developed: Project) -> Project:
    """A tree whose kernels have headers of their own, for TINY_VERY_LOUD."""
    add_part(developed, "TINY_VERY_LOUD")
    return developed


@pytest.mark.parametrize(("when", "on"), CONDITIONS, ids=[when for when, _ in CONDITIONS])
def test_headers_come_and_go_with_their_option(
    developed: Project, when: str, on: dict[str, str]
) -> None:
    add_part(developed, when)
    developed.run("develop")
    without = staged(developed)
    assert not part(developed)
    for _ in range(2):
        developed.run("develop", **on)
        assert f"{PART}kernel.h" in part(developed)
        assert any(path.startswith(f"{PART}phrases/") for path in part(developed))
        developed.run("develop")
        assert staged(developed) == without
        assert not (developed.root / PART).exists()
    assert developed.run("develop").stdout == "up to date\n"


def test_a_development_tree_has_the_headers_of_the_wheel(optional: Project) -> None:
    for environ in ({}, {"TINY_VERY_LOUD": "1"}):
        optional.run("develop", **environ)
        optional.run("bdist_wheel", TINY_REPAIR="OFF", **environ)
        (wheel,) = (optional.root / "dist").glob("tiny_project-*.whl")
        packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".h")}
        assert {path for path in staged(optional) if path.endswith(".h")} == packed
        wheel.unlink()


def test_ninja_alone_follows_the_option_that_cmake_is_given(optional: Project) -> None:
    optional.run("develop")
    for value, expected in (("ON", True), ("OFF", False), ("ON", True)):
        optional.call(["cmake", f"-DTINY_VERY_LOUD={value}", "build"])
        optional.call(["ninja", "-C", "build"])
        assert bool(part(optional)) is expected
        assert "no work to do" in optional.call(["ninja", "-C", "build"]).stdout


def test_ninja_alone_follows_the_last_options_of_the_front_end(developed: Project) -> None:
    """CMake does not see this option, so nothing is configured in between."""
    add_part(developed, "not TINY_POLITE")
    developed.run("develop")
    developed.call(["ninja", "-C", "build"])
    developed.run("build", TINY_POLITE="0")  # stages nothing
    developed.call(["ninja", "-C", "build"])
    assert part(developed)
    developed.run("build")
    developed.call(["ninja", "-C", "build"])
    assert not part(developed)


def test_ninja_alone_follows_a_new_condition(optional: Project) -> None:
    optional.run("develop", TINY_VERY_LOUD="1")
    optional.call(["ninja", "-C", "build"])
    assert part(optional)
    optional.edit("build_config.toml", "when = 'TINY_VERY_LOUD'", "when = 'not TINY_VERY_LOUD'")
    optional.call(["ninja", "-C", "build"])
    assert not part(optional)


def test_a_new_header_of_a_part_that_is_off_changes_nothing(optional: Project) -> None:
    optional.run("develop")
    optional.call(["ninja", "-C", "build"])
    before = staged(optional)
    (optional.root / "src/kernels/more.h").write_text("/* nothing compiles this */\n")
    optional.call(["ninja", "-C", "build"])
    optional.run("develop")
    assert staged(optional) == before
    optional.run("develop", TINY_VERY_LOUD="1")
    assert f"{PART}more.h" in part(optional)


def test_a_damaged_record_of_the_options_is_repaired(optional: Project) -> None:
    optional.run("develop", TINY_VERY_LOUD="1")
    optional.call(["ninja", "-C", "build"])
    record: Path = optional.root / "build/options.json"
    for text in ("", "[]", '{"resolved": []}', '{"resolved": {"TINY_LOUD": {"value": "ON"}}}'):
        record.write_text(text)
        result = optional.call(["ninja", "-C", "build"], check=False)
        assert "Traceback" not in result.stdout
        optional.run("develop", TINY_VERY_LOUD="1")
        assert part(optional)


def test_two_configurations_share_the_tree(optional: Project) -> None:
    optional.run("develop")
    without = staged(optional)
    optional.run("develop", BUILD_DIR="other", TINY_VERY_LOUD="1")
    both = staged(optional)
    assert both > without
    optional.run("develop")  # the other one's headers stay
    optional.call(["ninja", "-C", "build"])
    assert staged(optional) == both
    optional.run("develop", BUILD_DIR="other")
    assert staged(optional) == without
    optional.run("develop", BUILD_DIR="other", TINY_VERY_LOUD="1")
    optional.run("clean", BUILD_DIR="other")
    assert staged(optional) == without
    optional.run("develop", TINY_VERY_LOUD="1")
    optional.run("clean")
    assert staged(optional) == set()
