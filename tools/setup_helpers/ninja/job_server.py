"""GNU make's job server: job slots shared by all processes that one `make -j` started.

MAKEFLAGS names a pipe or a FIFO that holds one byte per free slot. A process that wants to run a
second job reads a byte and later writes the same byte back. Each process has one slot from the start.
Source: the GNU make manual, "Sharing Job Slots with GNU make".
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from .jobs import Jobs

_AUTH = re.compile(
    r"--jobserver-(?:auth|fds)=(?:fifo:(?P<fifo>\S+)|(?P<read>-?\d+),(?P<write>-?\d+))"
)
_WORDS = re.compile(r"\s*--jobserver-(?:auth|fds)=\S+")


@dataclass
class JobServer:
    """The slots of the job server of a parent process."""

    read_path: str
    write_path: str
    is_fifo: bool
    _taken: bytes = field(default=b"", init=False)

    def take(self, limit: int) -> int:
        """Take at most `limit` free slots without waiting; return how many slots are taken."""
        try:
            slots = os.open(self.read_path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return 0
        try:
            self._taken += os.read(slots, limit) if limit > 0 else b""
        except BlockingIOError:
            pass
        finally:
            os.close(slots)
        return len(self._taken)

    def give_back(self) -> None:
        """Give back every slot that was taken, exactly once."""
        taken, self._taken = self._taken, b""
        if taken:
            slots = os.open(self.write_path, os.O_WRONLY | os.O_NONBLOCK)
            try:
                os.write(slots, taken)
            finally:
                os.close(slots)


def find_job_server(environ: Mapping[str, str]) -> JobServer | None:
    """Return the job server of this process, if it is accessible.

    make passes its pipe only to recursive makes and to lines of a Makefile that start with `+`.
    """
    match = _AUTH.search(environ.get("MAKEFLAGS", ""))
    if match is None:
        return None
    if fifo := match["fifo"]:
        return JobServer(fifo, fifo, True) if _is_pipe(fifo) else None
    ends = [int(match["read"]), int(match["write"])]
    read, write = (f"/proc/self/fd/{end}" for end in ends)
    return JobServer(read, write, False) if all(map(_is_inherited_pipe, ends)) else None


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def _is_inherited_pipe(descriptor: int) -> bool:
    """Return whether a descriptor is make's pipe.

    If make closed its pipe, the number may have been reused for a pipe of this process, which is not
    inheritable.
    """
    return _is_pipe(f"/proc/self/fd/{descriptor}") and os.get_inheritable(descriptor)


def without_job_server(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the job server, for programs that must not take slots again."""
    flags = _WORDS.sub("", environ.get("MAKEFLAGS", "")).strip()
    rest = {k: v for k, v in environ.items() if k != "MAKEFLAGS"}
    return {**rest, "MAKEFLAGS": flags} if flags else rest


@dataclass(frozen=True)
class Slots:
    """How a run of Ninja shares the machine with its parent processes."""

    jobs: Jobs
    environ: Mapping[str, str]
    by_ninja: bool = False
    """Whether Ninja takes and gives back slots itself for each job, which requires that it gets no -j."""

    @property
    def argument(self) -> int | None:
        """The argument for Ninja's -j."""
        return None if self.by_ninja else self.jobs.count


@contextmanager
def shared_slots(jobs: Jobs, ninja_version: str, environ: Mapping[str, str]) -> Iterator[Slots]:
    """Share the job server's slots while the block runs; without a job server, use all jobs.

    Ninja supports the protocol from 1.13 on, over a FIFO. For other versions the slots that are free
    at the start are taken for the whole run.
    """
    server = find_job_server(environ)
    if server is None:
        if _AUTH.search(environ.get("MAKEFLAGS", "")):
            note = f"{jobs.limited_by}; make's job server is not available to this command"
            jobs = Jobs(jobs.count, note)
        yield Slots(jobs, without_job_server(environ))
        return
    version = tuple(int(part) for part in re.findall(r"\d+", ninja_version)[:2])
    if server.is_fifo and version >= (1, 13) and jobs.limited_by == "cores":
        yield Slots(Jobs(jobs.count, "make's job server"), environ, by_ninja=True)
        return
    try:
        count = 1 + server.take(jobs.count - 1)
        limited = jobs if count == jobs.count else Jobs(count, "make's job server")
        yield Slots(limited, without_job_server(environ))
    finally:
        server.give_back()
