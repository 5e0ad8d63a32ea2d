"""Ninja's output as events: the same for a terminal and for a pipe."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tools.base.ninja_output import (
    STATUS,
    Ended,
    Event,
    Failed,
    NinjaOutput,
    Started,
    TerminalLines,
    Text,
    transcript,
)
from tools.base.process import Split, run

GRAPH = r"""
rule say
  command = $words && touch $out
  description = making $out
build a: say
  words = echo hello; echo; printf '\033[01mbold\033[m\033[K\n'
build b: say a
  words = sleep 0.3
build c: say a
  words = sleep 0.1; echo oops; false
"""


def events(folder: Path, terminal: Split | None, **environ: str) -> list[Event]:
    (folder / "build.ninja").write_text(GRAPH)
    ninja = NinjaOutput()
    seen: list[Event | None] = []
    variables = {**os.environ, "TERM": "xterm", "NINJA_STATUS": STATUS, **environ}
    run(
        [shutil.which("ninja") or "ninja", "-C", str(folder), "-j2"],
        environ=variables,
        on_line=lambda line: seen.append(ninja.read(line)),
        terminal=terminal,
    )
    # Ninja 1.13 and newer report the exit code, which another test checks.
    return [Failed(e.outputs) if isinstance(e, Failed) else e for e in seen if e]


ENDS = [
    Ended(1, 3, "making a"),
    Text("hello"),
    Text(""),
    Text("bold"),
    Ended(2, 3, "making c"),
    Failed("c"),
    Text("sleep 0.1; echo oops; false && touch c"),
    Text("oops"),
    Ended(3, 3, "making b"),
    Text("ninja: build stopped: subcommand failed.", from_ninja=True),
]


def test_a_pipe_shows_ends(tmp_path: Path) -> None:
    assert events(tmp_path, None) == ENDS


def test_a_terminal_shows_starts_as_well(tmp_path: Path) -> None:
    seen = events(tmp_path, TerminalLines())
    assert [event for event in seen if not isinstance(event, Started)] == ENDS
    starts = {event.text: seen.index(event) for event in seen if isinstance(event, Started)}
    assert starts["making a"] == 0
    first_end = seen.index(ENDS[4])
    assert starts["making b"] < first_end and starts["making c"] < first_end


def test_events_carry_the_times_of_ninja(tmp_path: Path) -> None:
    """The times do not depend on when the lines are read."""
    times = [
        e.time for e in events(tmp_path, TerminalLines()) if getattr(e, "text", "") == "making c"
    ]
    began, ended = times
    assert ended - began >= 0.1


def test_a_dumb_terminal_is_treated_like_a_pipe(tmp_path: Path) -> None:
    assert events(tmp_path, TerminalLines(), TERM="dumb") == ENDS


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_lines_do_not_depend_on_the_size_of_the_chunks(size: int) -> None:
    text = "\r\x020/2\x02a\x1b[K\r\x021/2\x02a\x1b[K\n\nsaid\r\n\r\x021/2\x02b\x1b[K"
    split = TerminalLines()
    lines, rest = [], ""
    for start in range(0, len(text), size):
        more, rest = split(rest + text[start : start + size])
        lines += more
    assert (lines, rest) == (["\x020/2\x02a", "\x021/2\x02a", "", "said", "\x021/2\x02b"], "")


def test_two_steps_with_the_same_name_are_counted_separately() -> None:
    ninja = NinjaOutput()
    lines = ["0/2", "0/2", "1/2", "2/2"]
    kinds = [type(ninja.read(f"\x02{counts}\x02copying")) for counts in lines]
    assert kinds == [Started, Started, Ended, Ended]
    assert not +ninja.running


def test_the_exit_code_reported_by_a_newer_ninja() -> None:
    assert NinjaOutput().read("FAILED: [code=1] lib/a.so ") == Failed("lib/a.so", 1)


def test_counts_restart_when_the_graph_is_reloaded() -> None:
    ninja = NinjaOutput()
    lines = ["0/2\x02Re-checking globbed directories...", "1/2\x02Re-running CMake...", "0/2\x02a"]
    events = [ninja.read(f"\x02{line}") for line in [*lines, "1/2\x02a"]]
    assert events == [None, None, Started("a"), Ended(1, 2, "a")]


def test_a_verbose_run_shows_commands_when_they_end(tmp_path: Path) -> None:
    """Ninja silently restarts its count after it reloads the graph."""
    ninja = NinjaOutput(verbose=True)
    events = [ninja.read(line) for line in ("\x021/1\x02cmake -P x", "\x021/2\x02cc -c a")]
    assert events == [Ended(1, 1, "cmake -P x"), Ended(1, 2, "cc -c a")]


def test_the_transcript_equals_the_output_to_a_pipe() -> None:
    output = "\x020/1\x02making c\n\x021/1\x02making c\n\x1b[31mFAILED: \x1b[0mc \noops\n"
    assert transcript(output) == "[1/1] making c\nFAILED: c\noops\n"
