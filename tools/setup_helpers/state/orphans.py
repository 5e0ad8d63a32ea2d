"""Find and end the processes that a killed build left running; they still hold its lock."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.base.errors import BuildError, environment_error

# Seconds until a process that was sent SIGKILL must be gone.
PATIENCE = 5.0


@dataclass(frozen=True)
class Holder:
    """A process that has the lock's file open."""

    number: int
    name: str
    inherited: bool
    """Whether it inherited the open file, as every process does that a build starts."""

    def __str__(self) -> str:
        return f"{self.name} ({self.number})"


def take_over(file: int, path: str, try_lock: Callable[[int], bool]) -> None:
    """Take a lock held only by children of a dead build, by ending them.

    Raises:
        BuildError: If a living build holds the lock, or a child cannot be ended.
    """
    ended: list[Holder] = []
    deadline = time.monotonic() + PATIENCE
    while not try_lock(file):
        orphans = _orphans(file, path)
        if time.monotonic() > deadline:
            raise _held(path, ", ".join(map(str, orphans)))
        for orphan in orphans:
            _end(orphan, path)
        ended += [orphan for orphan in orphans if orphan not in ended]
        time.sleep(0.005)
    if ended:
        names = ", ".join(map(str, ended))
        print(
            f"ended processes that a killed build left running: {names}",
            file=sys.stderr,
            flush=True,
        )


def wait_for(file: int, path: str, try_lock: Callable[[int], bool]) -> None:
    """Take a lock as soon as the build that holds it has ended."""
    said = ""
    while True:
        try:
            take_over(file, path, try_lock)
            return
        except BuildError as error:
            if error.cause != said:
                print(f"waiting for {path}: {error.cause}", file=sys.stderr, flush=True)
            said = error.cause
            time.sleep(0.1)


def check_for_ninja(build_dir: Path, *, wait: bool = False) -> None:
    """Raise BuildError if a Ninja that somebody started by hand works here; with `wait`, wait for its end.

    Ninja itself takes no lock, and two of them would write the same outputs.
    """
    said = False
    while numbers := _ninjas(build_dir):
        cause = f"ninja, process {numbers[0]}{_if_stopped(numbers[0])}"
        if not wait:
            raise _held(f"{build_dir}/", cause)
        if not said:
            print(f"waiting for {build_dir}: {cause}", file=sys.stderr, flush=True)
        said = True
        time.sleep(0.1)


def _ninjas(build_dir: Path) -> list[int]:
    """Return the processes named ninja whose working directory is this one."""
    place = os.path.realpath(build_dir)
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "cwd") == place and _name(folder).startswith("ninja"):
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended, or belongs to another user
    return found


def _name(process: Path) -> str:
    return (process / "comm").read_text(errors="replace").strip()


def _if_stopped(number: int) -> str:
    """Return how to continue a process that Ctrl-Z stopped; empty if it runs."""
    try:
        state = (
            Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        )
    except OSError:
        return ""
    return f"; it is stopped: continue it with fg or kill -CONT {number}" if state == "T" else ""


def _orphans(file: int, path: str) -> list[Holder]:
    holders = list(holders_of(file))  # before the name is read: a new holder has written it by then
    name = os.pread(file, 4096, 0).decode("utf-8", "replace").strip()
    named = re.match(r"process (\d+) ", name)
    alive = named is None or any(holder.number == int(named[1]) for holder in holders)
    if alive or not all(holder.inherited for holder in holders):
        raise _held(path, name + (_if_stopped(int(named[1])) if named else ""))
    return holders


def _end(orphan: Holder, path: str) -> None:
    try:
        os.kill(orphan.number, signal.SIGKILL)
    except ProcessLookupError:
        return
    except PermissionError:
        raise _held(path, str(orphan)) from None


def holders_of(file: int) -> Iterator[Holder]:
    """Yield the other processes that have this file open; none on a system without /proc."""
    wanted = os.fstat(file)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            opened = [number for number in os.listdir(folder / "fd") if _is(folder, number, wanted)]
            if opened and int(folder.name) != os.getpid():
                inherited = all(_inherited(folder, number) for number in opened)
                yield Holder(int(folder.name), _name(folder), inherited)
        except OSError:
            continue  # it has ended, or belongs to another user


def _is(process: Path, descriptor: str, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(process / "fd" / descriptor), wanted)
    except OSError:
        return False


def _inherited(process: Path, descriptor: str) -> bool:
    facts = (process / "fdinfo" / descriptor).read_text()
    match = re.search(r"^flags:\s*(\d+)", facts, re.MULTILINE)
    return match is not None and int(match[1], 8) & (os.O_ACCMODE | os.O_CLOEXEC) == os.O_RDWR


def _held(path: str, holder: str) -> BuildError:
    return environment_error(
        f"another build holds {os.path.dirname(path)}",
        cause=f"held by {holder or 'an unknown process'}",
        hint="wait for it with --wait, or build in another directory",
    )
