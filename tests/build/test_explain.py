"""`setup.py explain`: why something is rebuilt, and what an option does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from tools.insight.explain.wording import ago, clock

from .conditions import in_private_mounts
from .fixture_project import Project
from .pseudo_terminal import PseudoTerminal


def explain(project: Project, *words: str, **environ: str) -> str:
    return project.run("explain", *words, **environ).stdout


def files(project: Project) -> dict[str, int]:
    return {
        path: written for path, written in project.files().items() if path != "build/build.lock"
    }


def causes_of_last_build(project: Project) -> str:
    causes = json.loads((project.root / "build/report.json").read_text())["causes"]
    return "\n".join(f"{c['commands']} commands because {c['text']}" for c in causes)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "just now"), (1, "1 second ago"), (59, "59 seconds ago"), (60, "1 minute ago"),
     (7199, "1 hour ago"), (7200, "2 hours ago"), (200_000, "2 days ago"), (-5, "in the future")],
)  # fmt: skip
def test_ages_are_rounded_down_to_one_unit(seconds: int, text: str) -> None:
    assert ago(1000.0, 1000.0 + seconds) == text


def test_times_of_earlier_days_show_the_date() -> None:
    now = time.mktime((2026, 3, 2, 12, 0, 0, 0, 0, -1))
    assert clock(now - 3600, now) == "11:00:00"
    assert clock(now - 86400, now) == "2026-03-01 12:00:00"


def test_nothing_built_yet(project: Project) -> None:
    assert "nothing was built in" in explain(project, "rebuild")


def test_options_that_a_build_refuses_are_refused(developed: Project) -> None:
    result = developed.run("explain", "rebuild", check=False, MAX_JOBS="many")
    assert result.returncode == 2 and "MAX_JOBS='many'" in result.stderr


def test_a_read_only_tree_can_be_explained(developed: Project) -> None:
    """A build of such a tree fails and points to the doctor."""
    front_end = f"{developed.python} setup.py"
    script = (
        'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD"\n'
        f"{front_end} explain rebuild\n{front_end} explain rebuild greet.c\n{front_end} build"
    )
    result = in_private_mounts(developed, script)
    assert "A build now would have nothing to do." in result.stdout
    assert "src/greet.c (tiny_words) is up to date" in result.stdout
    assert result.returncode == 3 and "error: Read-only file system: " in result.stderr
    assert "hint: run `python setup.py doctor` to find the cause and a fix" in result.stderr


def test_nothing_to_do_is_reported_and_nothing_is_touched(developed: Project) -> None:
    before = files(developed)
    output = explain(developed, "rebuild")
    assert "no option and no input changed" in output
    assert "A build now would have nothing to do." in output
    assert files(developed) == before


def test_every_kind_of_change_is_named_with_the_steps_it_causes(developed: Project) -> None:
    developed.edit("words.yaml", "- world", "- there")
    developed.edit("src/greet.c", "#include", "/* x */ #include")
    os.utime(developed.root / "src/greet.h")
    (developed.root / "src/kernels/new.c").write_text("")
    before = files(developed)
    output = explain(developed, "rebuild", TINY_LOUD="0")
    for pattern in (
        r"  TINY_LOUD +ON -> OFF \(environment\)",
        r"  words\.yaml +edited \S+, .+: same size",
        r"  src/greet\.c +edited \S+, .+: \+\d+ bytes",
        r"  src/greet\.h +touched \S+, .+: same contents",
        r"  src/kernels/new\.c +added ",
        r"  generate code \(words\), because words\.yaml changed",
        r"  let CMake search for sources again, because src/kernels/new\.c was added or removed",
        r"  configure, because of TINY_LOUD: ON -> OFF",
        r"  run \d commands, which took \d+\.\d s of work when they last ran",
        r"    \d because src/greet\.h changed",
        r"        src/stub\.c \(_C\)",
    ):
        assert re.search(pattern, output), (pattern, output)
    assert files(developed) == before


def test_a_new_source_alone_is_work_to_do(developed: Project) -> None:
    (developed.root / "src/kernels/new.c").write_text("")
    output = explain(developed, "rebuild")
    assert "because src/kernels/new.c was added or removed" in output
    assert "nothing to do" not in output


def test_a_new_file_that_nothing_compiles_is_no_work(developed: Project) -> None:
    (developed.root / "src/notes.txt").write_text("")
    output = explain(developed, "rebuild")
    assert "src/notes.txt  added" in output and "would have nothing to do" in output
    (developed.root / "src/more.h").write_text("")
    assert "A build now would\n  copy tiny/include/more.h\n" in explain(developed, "rebuild")
    developed.run("develop")
    (developed.root / "src/more.h").unlink()
    assert "  delete the copy tiny/include/more.h\n" in explain(developed, "rebuild")


def test_lost_copies_and_metadata_are_work_to_do(developed: Project) -> None:
    (developed.root / "tiny/lib/libtiny_words.so").unlink()
    output = explain(developed, "rebuild")
    assert "A build now would\n  copy tiny/lib/libtiny_words.so\n" in output
    developed.run("develop")
    site = next(developed.python.parents[1].glob("lib/python*/site-packages"))
    path_file = next(site.glob("__editable__*.pth"))
    path_file.unlink()
    output = explain(developed, "rebuild")
    assert f"  register the package, because {path_file} is missing\n" in output


def test_an_older_source_from_a_backup_is_work_to_do(developed: Project) -> None:
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    os.utime(developed.root / "src/greet.h", (10**9, 10**9))
    output = explain(developed, "rebuild")
    assert "A build now would\n  date src/greet.h now, because it is older" in output
    assert "src/greet.h changed" in developed.run("develop").stdout


def test_a_lost_graph_is_configured_again(developed: Project) -> None:
    (developed.root / "build/build.ninja").unlink()
    assert "  configure, because build.ninja is missing\n" in explain(developed, "rebuild")


def test_the_next_build_does_what_was_predicted(developed: Project) -> None:
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    output = explain(developed, "rebuild")
    predicted = int(re.search(r"run (\d+) commands", output)[1])  # type: ignore[index]
    assert developed.run("build").stdout.count(" src/greet.h changed") == 1
    assert f"{predicted} commands because src/greet.h changed" in causes_of_last_build(developed)


def test_a_target_is_traced_to_the_changed_input(developed: Project) -> None:
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    output = explain(developed, "rebuild", "tiny_words").splitlines()
    assert re.match(r"lib/libtiny_words\.so would be linked \(built .* in \d", output[0])
    assert output[1] == "  because src/greet.c (tiny_words) would be compiled"
    assert re.match(r"    because src/greet\.h was edited .*: \+1 bytes", output[2])
    assert len(output) == 3


def test_a_touched_file_is_rebuilt_only_by_ninja_alone(developed: Project) -> None:
    os.utime(developed.root / "src/greet.h")
    by_times = "`setup.py develop` would do nothing, since no contents changed. Ninja alone compares times."
    output = explain(developed, "rebuild")
    assert f"\n{by_times} It would\n  run 6 commands" in output
    assert "src/greet.h  touched" in output
    output = explain(developed, "rebuild", "tiny_words")
    assert output.startswith(f"{by_times}\n\nlib/libtiny_words.so would be linked")
    assert developed.run("develop").stdout == "up to date\n"
    assert "It would" not in explain(developed, "rebuild", "-DTINY_LOUD=0")


def test_an_edited_source_is_named_once(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "/* x */ #include")
    output = explain(developed, "rebuild", "greet.c").splitlines()
    assert (
        re.match(r"  because src/greet\.c was edited .*: \+\d+ bytes", output[1])
        and len(output) == 2
    )


def test_a_missing_output_is_reported_as_missing_not_as_old(developed: Project) -> None:
    (developed.root / "build/lib/libtiny_words.so").unlink()
    output = explain(developed, "rebuild", "tiny_words")
    assert output.splitlines() == [
        "lib/libtiny_words.so would be linked",
        "  because it did not exist",
    ]


def test_every_newer_input_is_a_cause(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "/* x */ #include")
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    output = explain(developed, "rebuild", "greet.c").splitlines()
    assert sorted(line.split(" was ")[0] for line in output[1:]) in (
        ["  and src/greet.c", "  because src/greet.h"],
        ["  and src/greet.h", "  because src/greet.c"],
    )


def test_long_lines_are_wrapped_on_a_terminal(developed: Project) -> None:
    command = [str(developed.python), "setup.py", "explain", "option", "COMPILER_CACHE"]
    with PseudoTerminal(
        command, cwd=developed.root, environ=developed.variables(), columns=60
    ) as terminal:
        assert terminal.end() == 0
    rows = re.sub(r"\x1b\[[0-9;]*m", "", terminal.text).splitlines()
    assert "  Program that remembers compilations; auto takes the first" in rows
    assert (
        rows[rows.index("  Program that remembers compilations; auto takes the first") + 1]
        == "      that is found"
    )


def ninja_version() -> tuple[int, ...]:
    shown = subprocess.run(["ninja", "--version"], capture_output=True, text=True, check=True)
    return tuple(int(number) for number in shown.stdout.split(".")[:2])


def test_a_removed_header_is_the_cause(developed: Project) -> None:
    (developed.root / "src/greet.h").unlink()
    if ninja_version() >= (1, 12):  # its dry run stops at the point where CMake has to run
        assert "because src/greet.h was added or removed" in explain(developed, "rebuild")
        return
    assert "    6 because src/greet.h was removed\n" in explain(developed, "rebuild")
    output = explain(developed, "rebuild", "greet.c").splitlines()
    assert output[1:] == ["  because src/greet.h was removed"]


def test_a_moved_checkout_is_the_cause(developed: Project, tmp_path: Path) -> None:
    moved = Project(developed.root.rename(tmp_path / "moved"), developed.python)
    moved.run("build")
    causes = causes_of_last_build(moved)
    assert "its command line changed (source tree" in causes
    assert "\n" not in causes or ninja_version() >= (
        1,
        12,
    )  # CMake, which runs further commands before Ninja reads the graph again


def test_a_header_is_traced_to_its_readers(developed: Project) -> None:
    unchanged = explain(developed, "rebuild", "src/greet.h").splitlines()
    assert unchanged[0] == "src/greet.h has not changed since the last build"
    readers = int(re.match(r"  (\d) commands read it:$", unchanged[1])[1])  # type: ignore[index]
    assert "    src/greet.c (tiny_words)" in unchanged[2:]
    predicted = int(re.search(r"a change would run (\d) commands", unchanged[-1])[1])  # type: ignore[index]
    assert predicted > readers  # the readers and the links
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    assert explain(developed, "rebuild", "greet.h").startswith("src/greet.h was edited ")
    assert f"run {predicted} commands" in explain(developed, "rebuild")


def test_an_input_of_code_generation_names_the_stages_that_read_it(developed: Project) -> None:
    developed.edit("words.yaml", "- world", "- there")
    output = explain(developed, "rebuild", "words.yaml").splitlines()
    assert output[0].startswith("words.yaml was edited ") and output[1:] == [
        "  code generation reads it: words"
    ]


@pytest.mark.parametrize(
    "name",
    [
        "words.c",
        "src/words.c",
        "CMakeFiles/tiny_words.dir/src/words.c.o",
        "build/CMakeFiles/tiny_words.dir/src/words.c.o",
    ],
)
def test_a_generated_source_is_traced_to_its_stage(developed: Project, name: str) -> None:
    developed.edit("words.yaml", "- world", "- there")
    output = explain(developed, "rebuild", name)
    assert "would be rebuilt if code generation changes src/words.c" in output
    assert "words.yaml changed (code generation: words)" in output


def test_an_up_to_date_target_shows_why_it_was_last_rebuilt(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "/* x */ #include")
    developed.run("build")
    output = explain(developed, "rebuild", "greet.c")
    assert "is up to date" in output
    assert "the last build rebuilt it because src/greet.c changed" in output


def test_an_unknown_target_suggests_the_nearest(developed: Project) -> None:
    result = developed.run("explain", "rebuild", "gret.c", check=False)
    assert result.returncode == 2
    assert "no command writes or reads 'gret.c'; did you mean 'greet.c'?" in result.stderr


def test_an_option_whose_condition_does_not_hold(project: Project) -> None:
    output = explain(project, "option", "TINY_VERY_LOUD", TINY_LOUD="0")
    assert output.startswith("TINY_VERY_LOUD = OFF (forced by a dependency: needs TINY_LOUD)\n")
    assert "TINY_LOUD does not hold: it is OFF (environment)" in output
    assert "ON, OFF" in output
    assert re.search(r"CMakeLists\.txt:\d+ +if\(TINY_VERY_LOUD\)", output)


def test_an_option_shows_its_dependents_and_its_last_value(developed: Project) -> None:
    output = explain(developed, "option", "TINY_LOUD", TINY_LOUD="OFF")
    assert output.startswith("TINY_LOUD = OFF (environment)\n")
    assert re.search(r"last build +ON \(default\)", output)
    assert "TINY_VERY_LOUD, which needs TINY_LOUD" in output
    assert re.search(r"a change +configures again", output)


def test_an_option_that_rebuilds_nothing(project: Project) -> None:
    output = explain(project, "option", "MAX_JOBS", "SOURCE_DATE_EPOCH")
    assert "rebuilds nothing" in output and "packages again" in output
    assert "the front end, with the role: jobs" in output


def test_a_refused_option_is_still_explained(project: Project) -> None:
    output = explain(project, "option", "TINY_VERY_LOUD", TINY_VERY_LOUD="1", TINY_LOUD="off")
    assert re.search(r"refused +TINY_VERY_LOUD=1 cannot be met: it needs TINY_LOUD\n", output)
    output = explain(project, "option", "MAX_JOBS", MAX_JOBS="many", TINY_LOUDD="1")
    assert output.startswith("MAX_JOBS = 0 (default)\n")
    assert "refused      MAX_JOBS='many': not a whole number of 0 or more\n" in output


def test_an_option_on_the_command_line_counts(developed: Project) -> None:
    assert "TINY_LOUD = OFF (command line)" in explain(
        developed, "option", "TINY_LOUD", "-DTINY_LOUD=0"
    )
    output = explain(developed, "rebuild", "-D", "TINY_LOUD=0")
    assert "configure, because of TINY_LOUD: ON -> OFF" in output


def test_a_mention_in_prose_is_no_use_of_an_option(project: Project) -> None:
    project.edit("src/greet.c", "#include", "/* TINY_LOUD is loud */\n#include")
    output = explain(project, "option", "TINY_LOUD")
    assert "is loud" not in output and re.search(r"src/greet\.c:\d+ +#if TINY_LOUD", output)


def test_an_unknown_option_suggests_the_nearest(project: Project) -> None:
    result = project.run("explain", "option", "TINY_LOWD", check=False)
    assert result.returncode == 2 and "did you mean 'TINY_LOUD'?" in result.stderr


def test_code_generation_alone_does_not_count_as_a_build(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "/* x */ #include")
    developed.run("codegen")
    assert re.search(r"src/greet\.c +edited", explain(developed, "rebuild"))


def test_only_terminals_get_colours(developed: Project) -> None:
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    plain = explain(developed, "rebuild", "greet.c", "words.c")
    painted = explain(developed, "rebuild", "greet.c", "words.c", FORCE_COLOR="1")
    assert "\x1b" not in plain and "\x1b[33mwould be compiled\x1b[0m" in painted
    assert "\x1b[1mTINY_LOUD = ON (default)\x1b[0m" in explain(
        developed, "option", "TINY_LOUD", FORCE_COLOR="1"
    )
    assert "\x1b" not in explain(developed, "option", "TINY_LOUD", FORCE_COLOR="1", NO_COLOR="1")
