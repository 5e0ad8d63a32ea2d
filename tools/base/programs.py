"""Run programs of one environment for their answers, and cache the answers between builds.

A build asks compilers, CMake and Ninja the same questions every time. An answer is reused while the
program file, the question, the environment and the files read for the answer are unchanged. Only
successful answers are cached.
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
from .fingerprint import digest_text, first_change, snapshot
from .process import Answer
from .store import Record

NAME = "programs.json"

# A program of any other name, such as a compiler cache or a version manager, may start another program.
_DIRECT_TOOLS = r"(?:.+-)?(?:gcc|g\+\+|clang|clang\+\+|cmake|ninja|nvcc)(?:-[\d.]+)?"
_ELF = b"\x7fELF"
# Variables that shells, terminals and sessions set for themselves, which differ between windows. Programs
# may read any other variable.
_SESSION_VARIABLES = re.compile(
    r"_|SHLVL|PWD|OLDPWD|COLUMNS|LINES|TERM|COLORTERM|LS_COLORS|PS[1-4]|PROMPT_COMMAND|WINDOWID|DISPLAY"
    r"|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|VTE_VERSION|STY|TMUX|INVOCATION_ID|JOURNAL_STREAM"
    r"|(?:TERM_|TMUX_|SSH_|GPG_|XDG_|VSCODE_).+"
)


Row: TypeAlias = list[Any]
"""An answer's exit code, output and errors, and the entries (see fingerprint.py) of the files it read."""
_ANSWERS: Record[dict[str, dict[str, Row]]] = Record(NAME, format=2)


class Unanswered(Exception):
    """The answer is not cached and no program may be started; see `Programs.from_memory`."""


def _nothing(_: Answer) -> list[str]:
    return []


class Programs:
    """Runs each program once per question, and not at all for answers in `known`."""

    def __init__(
        self,
        environ: Mapping[str, str],
        known: Mapping[str, Row] | None = None,
        own: Collection[str] = (),
    ) -> None:
        """Ignore the variables in `own`, which only the front end reads."""
        self.environ = environ
        self._known = known or {}
        self._asked: dict[str, Answer] = {}
        self._running: list[Popen[bytes]] = []
        self._stopped = False
        self._may_ask = True
        self._cacheable: dict[str, Row] = {}
        self._environment = _digest(environ, own)

    @classmethod
    def as_last_built(
        cls,
        environ: Mapping[str, str],
        build_dir: str | os.PathLike[str],
        own: Collection[str] = (),
    ) -> Programs:
        """Load the answers cached in a build directory, if there are any."""
        record = _ANSWERS.read(build_dir)
        return cls(environ, record["answers"] if record else {}, own)

    def ask(
        self,
        command: Sequence[str],
        text: str = "",
        *,
        output: bool = False,
        reads: Callable[[Answer], list[str]] = _nothing,
    ) -> Answer:
        """Run a short program with `text` as its input, or return its cached answer.

        `reads` extracts from the answer the files that the program read. With `output`, the program
        writes to a temporary file (`-o`). Raises OSError when it cannot be started or does not answer.
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
            if _is_cacheable(row) and _can_compile(program) and not any(map(_is_file, command[1:])):
                self._cacheable[key] = row
        return self._asked[key]

    def find(self, name: str) -> str:
        """Return the path of a program on PATH; empty when there is none."""
        return shutil.which(name, path=self.environ.get("PATH")) or ""

    @contextmanager
    def from_memory(self) -> Iterator[None]:
        """Start no program inside this block: `ask` raises Unanswered instead. Not thread-safe."""
        self._may_ask = False
        try:
            yield
        finally:
            self._may_ask = True

    def stop(self) -> None:
        """Kill the programs that other threads are waiting for."""
        self._stopped = True
        for program in self._running:
            process.kill_family(program)

    def remember(self, build_dir: str | os.PathLike[str]) -> None:
        """Save the answers for the next build."""
        if self._cacheable != self._known:
            _ANSWERS.write(build_dir, {"answers": self._cacheable})

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
        self._running.append(program)
        if self._stopped:
            process.kill_family(program)


def _digest(environ: Mapping[str, str], unread: Collection[str]) -> str:
    """Digest the variables that programs may read. An empty LC_ALL, which CMake sets, counts as unset."""
    unread = {*unread, *filter(_SESSION_VARIABLES.fullmatch, environ)}
    read = {k: v for k, v in environ.items() if k not in unread and (v or not k.startswith("LC_"))}
    return digest_text(*(f"{name}={read[name]}" for name in sorted(read)))


def _stamp(path: str) -> str:
    try:
        info = os.stat(path)
    except OSError:
        return ""
    return f"{info.st_size} {info.st_mtime_ns} {info.st_ino}"


def _is_cacheable(row: Row) -> bool:
    """Whether an answer may be cached: it succeeded, and every file it read exists."""
    code, _, _, read = row
    return code == 0 and all(entry[0] >= 0 for entry in read.values())


def _can_compile(program: str) -> bool:
    """Whether a program is a compiler or build tool itself, not a script or a wrapper around one."""
    if not re.fullmatch(_DIRECT_TOOLS, os.path.basename(program)):
        return False
    with open(program, "rb") as file:
        return file.read(len(_ELF)) == _ELF


def _is_file(argument: str) -> bool:
    """Whether an argument names a file the answer may depend on: `-include x.h`, `--sysroot=/x`, `@x`."""
    value = argument.partition("=")[2] or argument
    if value == os.devnull:
        return False
    return "/" in value or value.startswith("@") or os.path.exists(value)
