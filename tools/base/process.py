"""Run programs: long ones whose output is read line by line, and short ones for their answer."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from .errors import environment_error

Split = Callable[[str], tuple[list[str], str]]
"""Split text into complete lines and the unfinished rest."""

# Seconds to wait for an answer. A licence server or a network drive may need some of them.
ANSWER_TIMEOUT = 60.0

# Signals to end a program with, and seconds to wait after each. None comes first because Ctrl-C in a
# terminal has already reached the program.
_ESCALATION = ((None, 0.15), (signal.SIGINT, 0.45), (signal.SIGTERM, 0.1))
# A killed process that waits for a disk stays longer; nobody waits for that.
_MOST_SECONDS_TO_DIE = 1.0


@dataclass(frozen=True)
class Finished:
    """The result of a program; `output` holds both streams in order."""

    code: int
    output: str


@dataclass(frozen=True)
class Answer:
    """The answer of a program; a negative code is the signal that ended it."""

    code: int
    out: str
    err: str


def ask(
    command: Sequence[str],
    text: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    timeout: float = ANSWER_TIMEOUT,
    on_start: Callable[[subprocess.Popen[bytes]], None] | None = None,
) -> Answer:
    """Run a short program with `text` as its input. Its output may be in any encoding.

    `on_start` receives the process, for callers that run this in a thread and may need to kill it.
    Raises OSError when the program cannot be started or does not answer in time.
    """
    with subprocess.Popen(
        list(command),
        env=None if environ is None else dict(environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            if on_start:
                on_start(process)
            streams = process.communicate(text.encode(), timeout=timeout)
        except subprocess.TimeoutExpired:
            kill_family(process)
            what = f"no answer within {timeout:g} s"
            raise TimeoutError(errno.ETIMEDOUT, what, command[0]) from None
        except BaseException:
            kill_family(process)
            raise
    out, err = (stream.decode("utf-8", "replace") for stream in streams)
    return Answer(process.returncode, out, err)


def kill_family(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and every process that it started."""
    if process.poll() is None:
        _kill(_stopped_family(process.pid))


class Running:
    """A running program. Whoever starts one must call `finish` or `end`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        terminal: Split | None = None,
    ) -> None:
        """Start the program.

        With `terminal`, the program writes to a pseudo-terminal if the machine has one, and that
        function splits its output into lines.
        """
        self._split = terminal or split_lines
        self._reader, writer = _raw_terminal() if terminal else os.pipe()
        try:
            self._process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=dict(environ) if environ is not None else None,
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=subprocess.STDOUT,
                close_fds=False,  # a program that outlives this process keeps holding the build lock
            )
        except OSError as error:
            os.close(self._reader)
            raise environment_error(f"cannot run {command[0]}", cause=str(error)) from error
        finally:
            os.close(writer)

    @property
    def number(self) -> int:
        return self._process.pid

    def finish(self, on_line: Callable[[str], None] | None = None) -> Finished:
        """Read all output and wait; `on_line` receives each line as it arrives. An interrupt ends the program."""
        lines = []
        try:
            for line in _lines(self._reader, self._split):
                lines.append(line)
                if on_line:
                    on_line(line)
            code = self._process.wait()
        except BaseException:
            self.end()
            raise
        os.close(self._reader)
        if code:
            raise_if_interrupted()
        return Finished(code, "".join(f"{line}\n" for line in lines))

    def end(self) -> None:
        """End the program and everything that it started, within a second."""
        try:
            _end(self._process, self._reader)
        finally:
            os.close(self._reader)


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
    on_start: Callable[[int], None] | None = None,
    terminal: Split | None = None,
) -> Finished:
    """Run a program to its end; `on_start` receives its process number."""
    running = Running(command, cwd=cwd, environ=environ, terminal=terminal)
    try:
        if on_start:
            on_start(running.number)
    except BaseException:
        running.end()
        raise
    return running.finish(on_line)


def split_lines(text: str) -> tuple[list[str], str]:
    """Split text at line feeds into complete lines and the rest."""
    *lines, rest = text.split("\n")
    return lines, rest


def _lines(reader: int, split: Split) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    while data := _read(reader):
        lines, rest = split(rest + decoder.decode(data))
        yield from lines
    if rest:
        yield rest


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 1 << 16)
    except OSError as error:
        if error.errno == errno.EIO:  # a terminal reports the end of input this way
            return b""
        raise


def _raw_terminal() -> tuple[int, int]:
    """Open a terminal that changes no byte and has no width, so that nothing is truncated; else a pipe."""
    import pty
    import tty

    try:
        reader, writer = pty.openpty()
    except OSError:
        return os.pipe()
    tty.setraw(writer)
    return reader, writer


def _end(process: subprocess.Popen[bytes], reader: int) -> None:
    """Ask the program to end, then kill it and every process that it left running."""
    family = _descendants(process.pid)
    try:
        for number, seconds in _ESCALATION:
            if number is not None:
                process.send_signal(number)
            if _ended_within(seconds, process, reader):
                break
    except KeyboardInterrupt:
        pass  # a second interrupt: kill at once
    if process.poll() is None:
        family = _stopped_family(process.pid)
    _kill(family)
    process.wait()


def _ended_within(seconds: float, process: subprocess.Popen[bytes], reader: int) -> bool:
    """Wait for the end, reading meanwhile: a program that cannot write cannot end."""
    deadline = time.monotonic() + seconds
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        if select.select([reader], [], [], 0.01)[0] and not _read(reader):
            time.sleep(0.01)
    return True


def _signal(processes: Iterable[int], number: int) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def _kill(processes: Sequence[int]) -> None:
    """Kill processes and wait until they are gone, which takes a moment on a busy machine."""
    _signal(processes, signal.SIGKILL)
    deadline = time.monotonic() + _MOST_SECONDS_TO_DIE
    while any(map(_is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.005)


def _is_running(process: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        return (
            Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            not in "ZX"
        )
    except OSError:
        return False


def _stopped_family(root: int) -> list[int]:
    """Stop a process and all its descendants, and return them.

    A process with a stop signal pending starts no other, so the look at /proc that finds nobody new
    has found everybody.
    """
    family: list[int] = []
    while unseen := {root, *_descendants(root)}.difference(family):
        _signal(unseen, signal.SIGSTOP)
        family += unseen
    return family


def _descendants(root: int) -> list[int]:
    """Return all descendants of a process from /proc, including those in other process groups."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        waiting += (direct := children.get(waiting.pop(), []))
        found += direct
    return found


class Terminated(KeyboardInterrupt):
    """A signal from another process asked this one to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


# Python discards an exception that a signal handler raises in a weakref callback, such as those of an
# import. So the handler remembers the signal, and a program that fails later counts as interrupted: the
# signal has usually reached it, too.
_received: list[int] = []


def raise_on_signals() -> None:
    """Turn SIGINT, SIGTERM and SIGHUP into exceptions, unless the caller ignores them (nohup)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)


def raise_if_interrupted() -> None:
    """Raise the exception for a signal that was received, in case Python discarded the first one."""
    if _received:
        raise _exception(_received[-1])


def _raise(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    raise _exception(number)


def _exception(number: int) -> KeyboardInterrupt:
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated(number)
