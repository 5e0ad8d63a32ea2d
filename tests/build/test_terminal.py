"""The display of a running build in a real terminal, and the lines that a log gets instead."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tools.base.console import display_of
from tools.insight.terminal.lines import StepName, about, clock_time, step_name
from tools.insight.terminal.progress import PlainProgress
from tools.insight.terminal.tally import Forecast, Tally

from .conftest import ROOT, Project
from .pseudo_terminal import PseudoTerminal

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def compiles(name: str) -> str:
    return f"Building CXX object CMakeFiles/core.dir/src/{name}.cpp.o"


# Five of twenty steps are done and two jobs are running.
EVENTS: list[list[object]] = [
    *(["advance", n, 20, compiles(f"done{n}")] for n in range(1, 6)),
    ["started", compiles("running_one")],
    ["started", compiles("running_two")],
]


def player(
    *more: list[object], jobs: int = 2, sleep: float = 3600.0, **environ: str
) -> dict[str, Any]:
    """Return arguments of PseudoTerminal or subprocess for a build that pauses, then continues."""
    script = {
        "seconds": {f"CMakeFiles/core.dir/src/done{n}.cpp.o": 2.0 for n in range(20)},
        "planned": [compiles(f"done{n}") for n in range(1, 19)],
        "jobs": jobs,
        "hit_rate": 0.8,
        "events": [*EVENTS, *more, ["sleep", sleep]],
    }
    return {
        "command": [sys.executable, "-m", "tests.build.progress_player", json.dumps(script)],
        "cwd": ROOT,
        "environ": {"PATH": os.environ["PATH"], **environ},
    }


def shows_jobs(lines: list[str]) -> bool:
    return any("running_two.cpp" in line for line in lines)


@pytest.mark.parametrize("columns", [40, 80, 120, 200])
def test_the_bar_fits_the_terminal(columns: int) -> None:
    with PseudoTerminal(**player(), columns=columns) as terminal:
        before, bar, one, two = terminal.until(shows_jobs, "the running jobs")
    assert before == "what was printed before"
    assert re.match(r"build ━+╸?━* +5/20 ", bar)
    assert " left" in bar or columns == 40
    assert ("25 %" in bar and "80 % cached" in bar) == (columns >= 80)
    assert re.match(r"   0:0\d  running_one.cpp", one) and re.match(r"   0:0\d  running_two", two)
    assert one.endswith("core") == (columns >= 80)
    # Wider would wrap, and wrapped lines cannot be painted over.
    assert max(map(len, (bar, one, two))) < columns


def test_a_terminal_with_few_rows_shows_fewer_jobs() -> None:
    with PseudoTerminal(**player(jobs=8), rows=4) as terminal:
        lines = terminal.until(lambda lines: "running_one" in "".join(lines), "one job")
    assert len(lines) == 3


@pytest.mark.parametrize("columns", [50, 60, 100, 160])
def test_a_resize_keeps_one_bar_and_the_printed_lines(columns: int) -> None:
    with PseudoTerminal(**player(), columns=120) as terminal:
        terminal.until(shows_jobs, "the running jobs")
        terminal.resize(columns, 24)
        time.sleep(0.5)
        later = re.compile(r"0:0[1-9]  running_two")
        lines = terminal.until(lambda lines: bool(later.search("\n".join(lines))), "a new frame")
    assert lines[0] == "what was printed before"
    assert len(lines) == 4 and sum("━" in line for line in lines) == 1


def test_compiler_output_scrolls_above_the_bar() -> None:
    warning = (
        "src/a.cpp:1:2: warning: [bold]unused[/bold] :smile: \\x1b and a very long " + "x" * 90
    )
    events: list[list[object]] = [
        ["sleep", 0.5],
        ["line", warning],
        ["sleep", 0.3],
        ["line", "note"],
    ]
    with PseudoTerminal(**player(*events)) as terminal:
        lines = terminal.until(lambda lines: "note" in lines, "the second line")
    place = lines.index("note")
    assert "".join(lines[1:place]) == warning  # unchanged, wrapped only by the terminal
    assert "━" in lines[place + 1] and shows_jobs(lines[place + 1 :])


def test_the_bar_disappears_at_the_end() -> None:
    with PseudoTerminal(**player(sleep=0.6)) as terminal:
        terminal.until(shows_jobs, "the running jobs")
        assert terminal.end() == 0
        assert terminal.lines() == ["what was printed before", "what is printed after"]


def test_a_failure_is_shown_while_other_jobs_still_run() -> None:
    failed: list[list[object]] = [
        ["advance", 6, 20, compiles("running_one")],
        ["failed", compiles("running_one")],
        ["line", "src/running_one.cpp:3:1: error: broken"],
    ]
    with PseudoTerminal(**player(*failed), columns=100) as terminal:
        lines = terminal.until(shows_jobs, "the job that still runs")
    assert lines[1:3] == [
        "failed: running_one.cpp (core)",
        "src/running_one.cpp:3:1: error: broken",
    ]
    assert "✗ 1 failed" in lines[3] and "running_two.cpp" in lines[4]


@pytest.mark.alone
def test_frames_do_not_flicker() -> None:
    """An unchanged frame is not written, and a changed one never erases the text that it rewrites."""
    with PseudoTerminal(**player()) as terminal:
        terminal.until(shows_jobs, "the running jobs")
        start, began = len(terminal.raw), time.monotonic()
        time.sleep(2.2)
        terminal.until(lambda lines: any("0:02  running_two" in line for line in lines), "2 s")
        written, seconds = terminal.text[start:], time.monotonic() - began
    written = written[written.find("\x1b[?2026h") :]
    frames = written.count("\x1b[?2026h")
    assert (
        1 <= frames <= 1 + 4 * seconds
    )  # three clocks change, and the bar is drawn up to ten times a second
    assert frames == written.count("\x1b[?2026l")
    assert not re.search(r"\x1b\[\d?J", written) and written.count("\x1b[2K") <= frames


@pytest.mark.parametrize(
    ("environ", "moves", "colours"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"CI": "true"}, False, True),
        ({"CI": "true", "NO_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "0"}, True, False),
    ],
    ids=str,
)
def test_environment_variables_control_motion_and_colours(
    environ: Mapping[str, str], moves: bool, colours: bool
) -> None:
    failed: list[object] = ["failed", compiles("running_one")]
    call = player(failed, sleep=0.5)
    call["environ"] |= environ
    with PseudoTerminal(**call) as terminal:
        assert terminal.end() == 0
    assert ("━" in terminal.text) == moves
    assert bool(COLOUR.search(terminal.text.replace("\x1b[0m", ""))) == colours
    assert bool(ESCAPE.search(COLOUR.sub("", terminal.text))) == moves


@pytest.mark.parametrize(
    ("environ", "colours"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    ids=str,
)
def test_a_pipe_gets_no_escape_codes_unless_forced(
    environ: Mapping[str, str], colours: bool
) -> None:
    call = player(["failed", compiles("running_one")], sleep=0.2)
    result = subprocess.run(
        call["command"],
        cwd=call["cwd"],
        env={**call["environ"], "TERM": "xterm", **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("\x1b" in result.stdout) == colours
    assert not ESCAPE.search(COLOUR.sub("", result.stdout))


def test_a_terminal_without_unicode_gets_an_ascii_bar() -> None:
    with PseudoTerminal(**player(PYTHONIOENCODING="ascii"), columns=100) as terminal:
        lines = terminal.until(shows_jobs, "the running jobs")
    assert re.match(r"build #+-+  ", lines[1])


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_log_gets_about_twenty_lines_of_a_long_build() -> None:
    log, clock = io.StringIO(), Clock()
    display = display_of(log, {})
    progress = PlainProgress(display, Tally(Forecast(jobs=2), clock))
    for step in range(1, 574):
        progress.started(compiles(f"a{step}"))
        clock.now += 0.7
        progress.advance(step, 573, compiles(f"a{step}"))
    progress.close()
    lines = log.getvalue().splitlines()
    assert 15 <= len(lines) <= 20
    assert re.match(r"\[ *\d+/573\]  +5 %  0:2\d", lines[0])


def test_a_log_has_no_progress_lines_for_a_short_build() -> None:
    log, clock = io.StringIO(), Clock()
    progress = PlainProgress(display_of(log, {}), Tally(Forecast(jobs=2), clock))
    for step in range(1, 9):
        clock.now += 0.5
        progress.advance(step, 8, compiles(f"a{step}"))
    progress.close()
    assert log.getvalue() == ""


def test_a_log_gets_a_sign_of_life_during_a_long_step() -> None:
    log, clock = io.StringIO(), Clock()
    progress = PlainProgress(display_of(log, {}), Tally(Forecast(jobs=2), clock))
    progress.started(compiles("endless"))
    clock.now += 61
    deadline = time.monotonic() + 20
    while not log.getvalue() and time.monotonic() < deadline:
        time.sleep(0.05)
    progress.close()
    assert "1:01" in log.getvalue() and "endless.cpp" in log.getvalue()


def test_the_forecast_follows_the_last_build_and_the_measured_speed() -> None:
    clock = Clock()
    outputs = [step_name(compiles(f"a{n}")).output for n in range(10)]
    forecast = Forecast(dict.fromkeys(outputs, 10.0), [compiles(f"a{n}") for n in range(10)], 2)
    tally = Tally(forecast, clock)
    assert tally.remaining() == pytest.approx(50)  # 100 s of work by two jobs at a time
    for n in range(4):
        clock.now += 5
        tally.ended(n + 1, 10, compiles(f"a{n}"))
    assert tally.remaining() == pytest.approx(30)
    clock.now += 30  # slower than predicted, so the rest is expected to take longer
    slow = tally.remaining()
    assert slow is not None and slow > 50


def test_the_forecast_soon_notices_a_warm_compiler_cache() -> None:
    clock = Clock()
    names = [compiles(f"a{n}") for n in range(100)]
    tally = Tally(Forecast({step_name(n).output: 10.0 for n in names}, names, 2), clock)
    for n in range(20):
        clock.now += 0.05
        tally.ended(n + 1, 100, names[n])
    left = tally.remaining()
    assert left is not None and left < 8  # 400 s without the cache, and 4 s at the present speed


def test_without_a_log_there_is_no_forecast_at_first() -> None:
    clock = Clock()
    tally = Tally(Forecast(jobs=2), clock)
    clock.now += 1
    tally.ended(1, 100, compiles("a"))
    assert tally.remaining() is None
    for n in range(2, 11):
        clock.now += 1
        tally.ended(n, 100, compiles(f"a{n}"))
    assert tally.remaining() == pytest.approx(90)


def test_a_retried_step_does_not_count_as_failed() -> None:
    tally = Tally()
    tally.ended(1, 2, compiles("a"))
    tally.failed.append(compiles("a"))
    tally.started(compiles("a"))
    assert tally.failed == []


@pytest.mark.parametrize(
    ("description", "name"),
    [
        (
            "Building CXX object CMakeFiles/core.dir/src/deep/a.cpp.o",
            StepName("a.cpp", "core", "CMakeFiles/core.dir/src/deep/a.cpp.o"),
        ),
        (
            "Building CUDA object sub/CMakeFiles/core.dir/k.cu.o",
            StepName("k.cu", "core", "sub/CMakeFiles/core.dir/k.cu.o"),
        ),
        (
            "Linking CXX shared library lib/libcore.so",
            StepName("link libcore.so", "", "lib/libcore.so"),
        ),
        ("Staging the package", StepName("Staging the package")),
    ],
)
def test_steps_have_short_names(description: str, name: StepName) -> None:
    assert step_name(description) == name


def test_times_are_shown_in_minutes_and_seconds() -> None:
    assert [clock_time(s) for s in (0.9, 61, 3723)] == ["0:00", "1:01", "1:02:03"]
    assert [about(s) for s in (0.2, 7.4, 47, 203, 3900)] == ["1 s", "7 s", "45 s", "3:20", "1 h 05"]


@pytest.fixture
def slow_compiler(tmp_path: Path) -> str:
    """A compiler that needs two seconds for each source, and one second for CMake's first test."""
    compiler = tmp_path / "slow-cc"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in\n'
        '  *src/*" -c "*|*" -c "*src/*) sleep 2;;\n'
        "  *CMakeCCompilerId*) sleep 1;;\n"
        'esac\nexec cc "$@"\n'
    )
    compiler.chmod(0o755)
    return str(compiler)


def develop(project: Project, *arguments: str, **environ: str) -> dict[str, Any]:
    """Return arguments of PseudoTerminal for `setup.py develop`."""
    path = f"{project.python.parent}:{os.environ['PATH']}"
    own = {"PATH": path, "VIRTUAL_ENV": str(project.python.parents[1])}
    return {
        "command": [str(project.python), "setup.py", "develop", *arguments],
        "cwd": project.root,
        "environ": {**own, "HOME": os.environ["HOME"], **environ},
    }


def is_waiting_line(line: str) -> bool:
    """Return whether the line belongs to a step that takes long."""
    return bool(re.match(r"configure +0:0\d [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]  [A-Z]", line))


def test_a_whole_build_at_a_terminal(project: Project, slow_compiler: str) -> None:
    with PseudoTerminal(**develop(project, CC=slow_compiler), columns=100) as terminal:
        terminal.until(
            lambda lines: lines[-1:] != [] and is_waiting_line(lines[-1]), "CMake at work"
        )
        terminal.until(lambda lines: any("greet.c  " in line for line in lines), "a running job")
        assert terminal.end() == 0
        lines = terminal.lines()
    names = [line.split()[0] for line in lines if re.match(r"\w+ +\d+\.\d\d s", line)]
    assert names[:8] == [
        "config",
        "options",
        "doctor",
        "codegen",
        "configure",
        "build",
        "copy",
        "audit",
    ]
    assert "━" not in "".join(lines) and not any(map(is_waiting_line, lines))
    assert project.words() == "['HELLO', 'WORLD']\n"


@pytest.mark.alone
def test_control_c_ends_a_build_within_a_second(project: Project, slow_compiler: str) -> None:
    with PseudoTerminal(**develop(project, CC=slow_compiler), columns=100) as terminal:
        terminal.until(lambda lines: any("greet.c  " in line for line in lines), "a running job")
        start = time.monotonic()
        terminal.type("\x03")
        assert terminal.end() == 130
        seconds = time.monotonic() - start
        lines = terminal.lines()
    assert seconds < 2  # the goal is one second, but the machine may be busy
    assert re.match(r"interrupted(: \d finished steps are kept)?$", lines[-1])
    assert "━" not in "".join(lines)
    assert "Traceback" not in terminal.text
    project.run("develop")  # the lock is free, and unfinished steps are repeated
    assert project.words() == "['HELLO', 'WORLD']\n"


INTERRUPTED_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_IMPORT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("module", ["main", "own_environment", "state.noop", "commands"])
def test_control_c_while_the_front_end_starts(
    developed: Project, tmp_path: Path, module: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_IMPORT)
    name = f"tools.setup_helpers.{module}"
    (developed.root / "words.yaml").touch()
    result = developed.run(
        "develop", check=False, PYTHONPATH=str(tmp_path), INTERRUPTED_IMPORT=name
    )
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == "\ninterrupted\n"


def test_closing_the_window_ends_the_build(project: Project, slow_compiler: str) -> None:
    with PseudoTerminal(**develop(project, CC=slow_compiler), columns=100) as terminal:
        terminal.until(lambda lines: any("greet.c  " in line for line in lines), "a running job")
        terminal.close()
        assert terminal.process.wait(timeout=30) != 0
    with (project.root / "build/build.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no compiler holds it any longer


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_front_end_alone_ends_the_build_cleanly(
    project: Project, slow_compiler: str, number: signal.Signals
) -> None:
    call = develop(project, CC=slow_compiler)
    with subprocess.Popen(
        call["command"],
        cwd=call["cwd"],
        env=call["environ"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith("configure "):
            pass
        time.sleep(1)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "interrupted" in errors and "Traceback" not in errors
    with pytest.raises(ProcessLookupError):  # no process of its session is left
        os.killpg(process.pid, 0)
    project.run("develop")
    assert project.words() == "['HELLO', 'WORLD']\n"


def test_quiet_prints_nothing_unless_something_fails(developed: Project) -> None:
    developed.edit("words.yaml", "- world", "- quiet")
    result = developed.run("develop", "--quiet")
    assert (result.stdout, result.stderr) == ("", "") and "QUIET" in developed.words()
    assert developed.run("develop", "-q").stdout == ""
    assert developed.run("develop").stdout == "up to date\n"  # the verbosity makes no difference
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    result = developed.run("develop", "--quiet", check=False)
    assert result.returncode == 1 and result.stdout == ""
    assert "building greet.c failed" in result.stderr and "broken here" in result.stderr


@pytest.mark.parametrize(
    ("closed", "silent"), [(">&-", True), ("2>&-", False), ("<&- >&- 2>&-", True)]
)
def test_closed_standard_streams(developed: Project, closed: str, silent: bool) -> None:
    """A file that is opened next must not take the place of a stream that programs write to."""
    developed.edit("words.yaml", "- world", "- closed")
    command = f"'{developed.python}' setup.py develop -v {closed}"
    result = developed.call(["sh", "-c", command])
    assert (result.stdout == "", result.stderr) == (silent, "")
    assert "CLOSED" in developed.words()
    assert (developed.root / "build/build.lock").read_text() == ""


@pytest.mark.parametrize("edited", [True, False])
def test_output_that_cannot_be_written_is_named(developed: Project, edited: bool) -> None:
    if edited:
        developed.edit("words.yaml", "- world", "- full")
    result = developed.call(
        ["sh", "-c", f"'{developed.python}' setup.py develop > /dev/full"], check=False
    )
    assert result.returncode == 3
    assert result.stderr == (
        "error: standard output cannot be written: No space left on device\n"
        "hint: redirect it to another place\n"
    )
    developed.run("develop")
    assert edited == ("FULL" in developed.words())


def test_a_log_has_the_steps_and_no_escape_codes(developed: Project) -> None:
    developed.edit("words.yaml", "- world", "- log")
    result = developed.run("develop", CI="true", TERM="xterm")
    assert "\x1b" not in result.stdout + result.stderr
    assert len(result.stdout.splitlines()) < 20 and "Building C object" not in result.stdout
    verbose = developed.run("develop", "-v", TINY_LOUD="0").stdout
    assert re.search(r"^\[\d+/\d+\] .*greet\.c\.o -c ", verbose, re.MULTILINE)


def test_errors_are_coloured_only_on_terminals(developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    coloured = developed.run("develop", check=False, FORCE_COLOR="1").stderr
    assert "\x1b[1;31merror:\x1b[0m" in coloured
    assert ESCAPE.sub("", coloured) == developed.run("develop", check=False).stderr
