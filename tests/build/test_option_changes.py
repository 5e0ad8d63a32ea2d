"""A changed environment is noticed at the next build, with one line per changed option."""

from __future__ import annotations

import re

from .fixture_project import Project


def changes(output: str) -> list[str]:
    return re.findall(r"^ +(\w+: \S+ -> \S+ \(.*\))$", output, re.MULTILINE)


def test_each_changed_option_has_one_line(project: Project) -> None:
    assert changes(project.run("build", MAX_JOBS="1").stdout) == []  # first reported
    output = project.run("build", "-DTINY_VERY_LOUD=1").stdout
    assert changes(output) == [
        "TINY_VERY_LOUD: OFF -> ON (command line)",
        "MAX_JOBS: 1 -> 0 (default)",
    ]
    output = project.run("build", TINY_LOUD="no").stdout
    assert changes(output) == [
        "TINY_LOUD: ON -> OFF (environment)",
        "TINY_VERY_LOUD: ON -> OFF (forced by a dependency: needs TINY_LOUD)",
    ]
    assert (
        changes(project.run("build", TINY_LOUD="OFF").stdout) == []
    )  # the same value, spelt differently


def test_a_change_is_reported_once_even_if_the_build_fails(project: Project) -> None:
    project.edit("src/greet.c", "#include", "#error broken here\n#include")
    assert project.run("build", check=False).returncode == 1
    failed = project.run("build", check=False, MAX_JOBS="1")
    assert failed.returncode == 1
    assert changes(failed.stdout) == ["MAX_JOBS: 0 -> 1 (environment)"]
    assert changes(project.run("build", check=False, MAX_JOBS="1").stdout) == []


def test_a_value_given_to_cmake_by_hand_is_noticed(developed: Project) -> None:
    developed.call(["cmake", "-DTINY_LOUD=OFF", "build"])
    developed.call(["ninja", "-C", "build"])
    assert developed.words() == "['hello', 'world']\n"
    output = developed.run("develop").stdout
    assert changes(output) == ["TINY_LOUD: OFF -> ON (default)"]
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert developed.run("develop").stdout == "up to date\n"


def test_ninja_generates_with_an_option_that_cmake_does_not_see(developed: Project) -> None:
    """The option does not reconfigure, but Ninja generates again when new files appear."""

    def polite_replies() -> int:
        files = (developed.root / "build/replies").glob("Replies_*.c")
        return sum(path.read_text().count(", please") for path in files)

    assert polite_replies() > 0
    developed.run("develop", TINY_POLITE="0")
    assert polite_replies() == 0
    for number in range(2):
        with (developed.root / "phrases.yaml").open("a") as phrases:
            phrases.write(f"- phrase: phrase{number}\n  text: one more\n")
        if number:
            developed.call(["ninja", "-C", "build"])
        else:
            developed.run("develop", "-DTINY_POLITE=0")
        assert polite_replies() == 0
