"""Programs run by the front end: reading their output, and stopping them on an interrupt."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.base.process import ask, run, split_lines

from .conftest import ROOT


def test_lines_arrive_in_order_and_the_last_needs_no_newline() -> None:
    seen: list[str] = []
    finished = run(
        ["sh", "-c", "echo one; echo; echo two >&2; printf three; exit 4"], on_line=seen.append
    )
    assert seen == ["one", "", "two", "three"]
    assert finished.code == 4 and finished.output == "one\n\ntwo\nthree\n"


def test_a_character_split_by_the_pipe_is_decoded() -> None:
    slow = ["sh", "-c", r"printf '\303'; sleep 0.2; printf '\251\n'"]
    assert run(slow).output == "é\n"


def test_the_program_sees_a_terminal_only_if_requested() -> None:
    command = ["sh", "-c", "test -t 1 && echo terminal || echo pipe"]
    assert run(command).output == "pipe\n"
    assert run(command, terminal=split_lines).output == "terminal\n"


def test_a_missing_program_is_reported() -> None:
    with pytest.raises(BuildError, match="cannot run /no/such/program"):
        run(["/no/such/program"])


def test_output_in_another_encoding_is_decoded_as_far_as_possible() -> None:
    answer = ask(["sh", "-c", r"cat; printf '\374ber' >&2; exit 3"], "what?")
    assert (answer.code, answer.out, answer.err) == (3, "what?", "\N{REPLACEMENT CHARACTER}ber")
    assert ask(["sh", "-c", "kill -SEGV $$"]).code == -signal.SIGSEGV


def test_a_program_that_never_answers_times_out() -> None:
    with pytest.raises(TimeoutError) as refused:
        ask(["sleep", "60"], timeout=0.1)
    assert f"{refused.value.strerror}: {refused.value.filename}" == "no answer within 0.1 s: sleep"


@pytest.mark.alone
@pytest.mark.parametrize(
    "program",
    [
        "sleep 60",
        "trap '' INT TERM; while :; do sleep 60; done",
        "trap 'yes | head -c 1000000; exit' INT; while :; do sleep 0.02; done",
        "setsid sh -c \"trap '' INT; sleep 60\" & wait",
    ],
    ids=["plain", "deaf", "talkative", "a-group-of-its-own"],
)
def test_interrupting_only_the_front_end_ends_its_programs(program: str, tmp_path: Path) -> None:
    """`kill -INT` signals only one process, while a terminal signals the whole group."""
    script = tmp_path / "caller.py"
    script.write_text(
        textwrap.dedent("""\
            import sys
            from tools.base.process import run
            try:
                run(["sh", "-c", "echo $$; " + sys.argv[1]], on_line=lambda line: print(line, flush=True))
            except KeyboardInterrupt:
                sys.exit(130)
            """)
    )
    caller = subprocess.Popen(
        [sys.executable, str(script), program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert caller.stdout is not None
    child = int(caller.stdout.readline())
    time.sleep(0.2)
    family = [child, *_children(child)]
    start = time.monotonic()
    caller.send_signal(signal.SIGINT)
    caller.communicate(timeout=20)
    assert caller.returncode == 130
    assert time.monotonic() - start < 2  # the goal is one second, but the machine may be busy
    assert [pid for pid in family if _runs(pid)] == []


def test_a_program_that_fails_after_a_discarded_interrupt_counts_as_interrupted() -> None:
    """Python discards what a handler raises in a weakref callback; the imports of the front end have some."""
    script = textwrap.dedent("""\
        import os, signal, sys, weakref
        from tools.base.process import run
        from tools.base.process import raise_on_signals

        class Object: pass

        raise_on_signals()
        thing = Object()
        reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), int(sys.argv[1])))
        del thing
        assert run(["true"]).code == 0
        try:
            run(["false"])
        except KeyboardInterrupt as interrupt:
            sys.exit(getattr(interrupt, "exit_code", 130))
        """)
    for number in (signal.SIGINT, signal.SIGTERM):
        caller = subprocess.run(
            [sys.executable, "-c", script, str(int(number))],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert "Exception ignored" in caller.stderr  # it was discarded
        assert caller.returncode == 128 + number, caller.stderr


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [child for text in listed for child in [int(text), *_children(int(text))]]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_program_is_killed_with_all_its_children() -> None:
    duration = f"{600 + os.getpid()}"
    program = f"i=0; while [ $i -lt 300 ]; do sleep {duration} & i=$((i+1)); done; wait"
    for _ in range(5):
        with pytest.raises(TimeoutError):
            ask(["sh", "-c", program], timeout=0.05)
        assert f"sleep\0{duration}\0".encode() not in _commands()


def _commands() -> list[bytes]:
    """Return the command lines of all running processes."""
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it has just ended
            if _runs(int(path.parent.name)):
                commands.append(path.read_bytes())
    return commands
