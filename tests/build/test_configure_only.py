"""A tree that was configured and never built: the front end reports its state correctly."""

from __future__ import annotations

import re

import pytest

from .doctor.conftest import Doctor
from .fixture_project import Project, steps

OPTION = "TINY_CONFIGURE_ONLY"
ROW = f'\n[options.{OPTION}]\nhelp = "Configure"\nrole = "configure_only"\ncmake = false\neffect = "nothing"\n'


@pytest.fixture
def configured(project: Project) -> Doctor:
    """A tree after a `setup.py develop` that stopped after the configuration."""
    doctor = Doctor(project)
    doctor.append(ROW)
    project.run("develop", **{OPTION: "1"})
    assert not list(project.root.glob("build/**/*.o"))
    return doctor


def test_configuring_a_second_time_finds_nothing_to_do(configured: Doctor) -> None:
    project = configured.project
    cache = (project.root / "build/CMakeCache.txt").stat().st_mtime_ns
    project.run("develop", **{OPTION: "1"})
    assert steps(project)["configure"] == "up to date"
    assert (project.root / "build/CMakeCache.txt").stat().st_mtime_ns == cache


def test_building_after_configuring_does_not_configure_again(configured: Doctor) -> None:
    project = configured.project
    project.run("develop", **{OPTION: "1"})
    project.run("develop", **{OPTION: "0"})
    assert "CMakeCache.txt" not in steps(project)["configure"]
    assert project.words() == "['HELLO', 'WORLD']\n"


def test_an_edit_of_the_cmake_cache_after_configuring_is_noticed(configured: Doctor) -> None:
    project = configured.project
    with (project.root / "build/CMakeCache.txt").open("a") as cache:
        cache.write("FOREIGN:STRING=1\n")
    project.run("develop", **{OPTION: "1"})
    assert steps(project)["configure"] == "CMakeCache.txt was changed since the last build"


def test_doctor_does_not_report_unbuilt_products_as_missing(configured: Doctor) -> None:
    findings = configured.findings("place", "link-inputs", "libraries", "objects")
    wrong = {name for name, row in findings.items() if row["status"] not in ("ok", "skipped")}
    assert not wrong, findings


def test_no_time_is_shown_for_commands_that_never_ran(configured: Doctor) -> None:
    project = configured.project
    output = project.run("explain", "rebuild").stdout
    assert re.search(r"run \d+ commands, none of which has run yet\n", output), output
    assert " 0.0 s" not in output
    output = project.run("explain", "rebuild", "greet.c").stdout
    assert " 0.0 s" not in output


def test_times_are_shown_only_for_commands_that_ran_before(configured: Doctor) -> None:
    project = configured.project
    project.call(["ninja", "-C", "build", "CMakeFiles/tiny_words.dir/src/greet.c.o"])
    project.edit("src/greet.c", "#include", "/* edited */\n#include")
    output = project.run("explain", "rebuild").stdout
    found = re.search(
        r"run (\d+) commands: the (\d+) that ran before took \d+\.\d s of work\n", output
    )
    assert found and 1 <= int(found[2]) < int(found[1]), output
