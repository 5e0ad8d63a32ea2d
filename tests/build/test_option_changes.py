"""A changed environment is noticed at the next build, with one line per changed option."""

from __future__ import annotations

import re

from .fixture_project import Project


def changes(said: str) -> list[str]:
    return re.findall(r"^ +(\w+: \S+ -> \S+ \(.*\))$", said, re.MULTILINE)


def test_each_changed_option_has_one_line(developed: Project) -> None:
    said = developed.run("develop", "-DTINY_VERY_LOUD=1", MAX_JOBS="1").stdout
    assert changes(said) == [
        "TINY_VERY_LOUD: OFF -> ON (command line)",
        "MAX_JOBS: 0 -> 1 (environment)",
    ]
    said = developed.run("develop", TINY_LOUD="no").stdout
    assert changes(said) == [
        "TINY_LOUD: ON -> OFF (environment)",
        "TINY_VERY_LOUD: ON -> OFF (forced by a dependency: needs TINY_LOUD)",
        "MAX_JOBS: 1 -> 0 (default)",
    ]


def test_without_a_change_there_is_no_line(project: Project) -> None:
    assert changes(project.run("develop", TINY_LOUD="0").stdout) == []  # the first time
    assert changes(project.run("build", TINY_LOUD="OFF").stdout) == []


def test_a_change_is_said_once_also_when_the_build_fails(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    failed = developed.run("develop", check=False, MAX_JOBS="1")
    assert failed.returncode == 1 and changes(failed.stdout) == ["MAX_JOBS: 0 -> 1 (environment)"]
    assert changes(developed.run("develop", check=False, MAX_JOBS="1").stdout) == []


def test_what_cmake_was_told_by_hand_is_seen(developed: Project) -> None:
    developed.call(["cmake", "-DTINY_LOUD=OFF", "build"])
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['hello', 'world']\n"
    said = developed.run("develop").stdout
    assert changes(said) == ["TINY_LOUD: OFF -> ON (default)"]
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert developed.run("develop").stdout == "up to date\n"
