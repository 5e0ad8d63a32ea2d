"""Running programs: the build's own, followed line by line, and short questions to others."""

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

from .errors import environment_error

Split = Callable[[str], tuple[list[str], str]]
"""Cuts text into lines, and what is left of an unfinished one."""

# Seconds for an answer. A licence server or a network drive may take some; nobody waits longer.
PATIENCE = 60.0

# An interrupted program has the terminal's own signal already, unless only this process got one.
_ESCALATION = ((None, 0.15), (signal.SIGINT, 0.45), (signal.SIGTERM, 0.1))


@dataclass(frozen=True)
class Finished:
    """What a program left behind; output holds both streams in order."""

    code: int
    output: str


@dataclass(frozen=True)
class Answer:
    """What a program said to a question; a negative code is the signal that ended it."""

    code: int
    out: str
    err: str


def ask(
    command: Sequence[str],
    text: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
    on_start: Callable[[subprocess.Popen[bytes]], None] | None = None,
) -> Answer:
    """Runs a short program on a text. What it prints may be in any encoding.

    `on_start` gets the process, for who asks in a thread and may have to kill it. Raises OSError when it
    cannot be started, or gives no answer.
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
            streams = process.communicate(text.encode(), timeout=patience)
        except subprocess.TimeoutExpired:
            kill_family(process)
            what = f"no answer within {patience:g} s"
            raise TimeoutError(errno.ETIMEDOUT, what, command[0]) from None
        except BaseException:
            kill_family(process)
            raise
    out, err = (stream.decode("utf-8", "replace") for stream in streams)
    return Answer(process.returncode, out, err)


def kill_family(process: subprocess.Popen[bytes]) -> None:
    """At once, with all that it started."""
    if process.poll() is None:
        _kill([*_descendants(process.pid), process.pid])


class Running:
    """A program at work; whoever starts one has it finish or ends it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        terminal: Split | None = None,
    ) -> None:
        """With `terminal` the program believes that it writes to one (where the machine has one to
        give), and that function cuts what it writes into lines.
        """
        self._split = terminal or split_lines
        self._reader, writer = _bare_terminal() if terminal else os.pipe()
        try:
            self._process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=dict(environ) if environ is not None else None,
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=subprocess.STDOUT,
                close_fds=False,  # whoever outlives this process goes on holding its build lock
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
        """Reads to the end; `on_line` sees each line as it comes. An interrupt ends the program."""
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
        return Finished(code, "".join(f"{line}\n" for line in lines))

    def end(self) -> None:
        """Ends the program and all that it started, within a second."""
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
    """Runs to the end, as Running does; `on_start` gets its process number."""
    running = Running(command, cwd=cwd, environ=environ, terminal=terminal)
    try:
        if on_start:
            on_start(running.number)
    except BaseException:
        running.end()
        raise
    return running.finish(on_line)


def split_lines(text: str) -> tuple[list[str], str]:
    """At line feeds."""
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
        if error.errno == errno.EIO:  # how a terminal says that the last writer has gone
            return b""
        raise


def _bare_terminal() -> tuple[int, int]:
    """One that changes no byte and has no width, so that nothing is cut to it; else a pipe."""
    import pty
    import tty

    try:
        reader, writer = pty.openpty()
    except OSError:
        return os.pipe()
    tty.setraw(writer)
    return reader, writer


def _end(process: subprocess.Popen[bytes], reader: int) -> None:
    """Asks, then insists; what the program leaves running when it ends is ended as well."""
    family = _descendants(process.pid)
    try:
        for number, patience in _ESCALATION:
            if number is not None:
                process.send_signal(number)
            if _ended_within(patience, process, reader):
                break
    except KeyboardInterrupt:
        pass  # asked twice: no more patience
    if process.poll() is None:
        family = [*_descendants(process.pid), process.pid]
    _kill(family)
    process.wait()


def _ended_within(seconds: float, process: subprocess.Popen[bytes], reader: int) -> bool:
    """Reads on meanwhile: a program that cannot write cannot end."""
    deadline = time.monotonic() + seconds
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        if select.select([reader], [], [], 0.01)[0] and not _read(reader):
            time.sleep(0.01)
    return True


def _kill(processes: Iterable[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _descendants(root: int) -> list[int]:
    """Of all generations, by /proc; a program that makes groups of its own hides none."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        waiting += (young := children.get(waiting.pop(), []))
        found += young
    return found
