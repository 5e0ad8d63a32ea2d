"""The programs of one environment, and what they answer.

A build asks compilers, CMake and Ninja the same questions every time. What the last build was told is
taken over while it must be the same: the program is the same file, the question and the environment
are the same, and the files that were read for the answer are as they were. Only success is remembered.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from subprocess import Popen
from typing import Any, TypeAlias

from . import process
from .process import Answer
from .tree.fingerprint import digest_text, first_change, snapshot
from .tree.sealed import read_sealed, write_sealed

NAME = "programs.json"
_FORMAT = 1

# Under any other name, such as a compiler cache's or a version manager's, a program may start another.
_WORKS_ITSELF = r"(?:.+-)?(?:gcc|g\+\+|clang|clang\+\+|cmake|ninja|nvcc)(?:-[\d.]+)?"
_ELF = b"\x7fELF"
# What shells, terminals and sessions set for themselves: it differs from one window to the next. Any other
# variable may be one that a program reads.
_OF_NO_PROGRAM = re.compile(
    r"_|SHLVL|PWD|OLDPWD|COLUMNS|LINES|TERM|COLORTERM|LS_COLORS|PS[1-4]|PROMPT_COMMAND|WINDOWID|DISPLAY"
    r"|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|VTE_VERSION|STY|TMUX|INVOCATION_ID|JOURNAL_STREAM"
    r"|(?:TERM_|TMUX_|SSH_|GPG_|XDG_|VSCODE_).+"
)


Row: TypeAlias = list[Any]
"""An answer's code, output and errors, and the entries (see fingerprint.py) of the files it read."""


class Unanswered(Exception):
    """Somebody has to ask a program; see `Programs.from_memory`."""


def _nothing(_: Answer) -> list[str]:
    return []


class Programs:
    """Asks programs, each question once; with `known`, only those that were not answered before."""

    def __init__(
        self,
        environ: Mapping[str, str],
        known: Mapping[str, Row] | None = None,
        own: Collection[str] = (),
    ) -> None:
        """`own` are variables that only the front end reads."""
        self.environ = environ
        self._known = known or {}
        self._asked: dict[str, Answer] = {}
        self._at_work: list[Popen[bytes]] = []
        self._stopped = False
        self._may_ask = True
        self._lasting: dict[str, Row] = {}
        self._environment = _digest(environ, own)

    @classmethod
    def as_last_built(
        cls,
        environ: Mapping[str, str],
        build_dir: str | os.PathLike[str],
        own: Collection[str] = (),
    ) -> Programs:
        """With what was remembered beside a build; with nothing where there is none."""
        record = read_sealed(os.path.join(build_dir, NAME))
        fits = record is not None and record.get("format") == _FORMAT
        return cls(environ, record["answers"] if fits else {}, own)

    def ask(
        self,
        command: Sequence[str],
        text: str = "",
        *,
        output: bool = False,
        reads: Callable[[Answer], list[str]] = _nothing,
    ) -> Answer:
        """Runs a short program on a text; `reads` gets from its answer which files it read.

        With `output` it is told to write a file (`-o`), which nobody keeps. Raises OSError when it cannot
        be started, or gives no answer.
        """
        program = os.path.realpath(self.find(command[0]) or command[0])
        key = digest_text(program, _stamp(program), self._environment, text, *command)
        if key not in self._asked:
            row = self._known.get(key)
            if row is None or first_change(row[-1]):
                if not self._may_ask:
                    raise Unanswered(command[0])
                answer = self._run(command, text, output)
                row = [answer.code, answer.out, answer.err, snapshot(reads(answer))]
            self._asked[key] = Answer(*row[:-1])
            if _lasts(row) and _works_itself(program) and not any(map(_is_file, command[1:])):
                self._lasting[key] = row
        return self._asked[key]

    def find(self, name: str) -> str:
        """Where PATH has a program; empty when it has none."""
        return shutil.which(name, path=self.environ.get("PATH")) or ""

    @contextmanager
    def from_memory(self) -> Iterator[None]:
        """Inside, no program is started: `ask` raises Unanswered instead. For one thread at a time."""
        self._may_ask = False
        try:
            yield
        finally:
            self._may_ask = True

    def stop(self) -> None:
        """Ends what is being asked in other threads: nobody waits for the answers any more."""
        self._stopped = True
        for program in self._at_work:
            process.kill_family(program)

    def remember(self, build_dir: str | os.PathLike[str]) -> None:
        """What was asked, for the next build."""
        if self._lasting != self._known:
            record = {"format": _FORMAT, "answers": self._lasting}
            write_sealed(os.path.join(build_dir, NAME), record)

    def _run(self, command: Sequence[str], text: str, output: bool) -> Answer:
        if not output:
            return self._start(command, text)
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            written = os.path.join(folder, "output")
            return self._start([*command, "-o", written], text)

    def _start(self, command: Sequence[str], text: str) -> Answer:
        if self._stopped:
            raise OSError(errno.ECANCELED, os.strerror(errno.ECANCELED), command[0])
        return process.ask(command, text, environ=self.environ, on_start=self._started)

    def _started(self, program: Popen[bytes]) -> None:
        self._at_work.append(program)
        if self._stopped:
            process.kill_family(program)


def _digest(environ: Mapping[str, str], unread: Collection[str]) -> str:
    """An empty LC_ALL, as CMake sets it, says as little as none."""
    unread = {*unread, *filter(_OF_NO_PROGRAM.fullmatch, environ)}
    read = {k: v for k, v in environ.items() if k not in unread and (v or not k.startswith("LC_"))}
    return digest_text(*(f"{name}={read[name]}" for name in sorted(read)))


def _stamp(path: str) -> str:
    try:
        info = os.stat(path)
    except OSError:
        return ""
    return f"{info.st_size} {info.st_mtime_ns} {info.st_ino}"


def _lasts(row: Row) -> bool:
    """A success, of which every file is known by its name."""
    code, _, _, read = row
    return code == 0 and all(size >= 0 for size, _, _ in read.values())


def _works_itself(program: str) -> bool:
    """Not a script, and nothing that starts what it finds elsewhere."""
    if not re.fullmatch(_WORKS_ITSELF, os.path.basename(program)):
        return False
    with open(program, "rb") as file:
        return file.read(len(_ELF)) == _ELF


def _is_file(argument: str) -> bool:
    """Whether an argument names a file that the answer may depend on: `-include x.h`, `--sysroot=/x`, `@x`."""
    value = argument.partition("=")[2] or argument
    if value == os.devnull:
        return False
    return "/" in value or value.startswith("@") or os.path.exists(value)
