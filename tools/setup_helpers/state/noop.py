"""The no-op build: it imports next to nothing and starts no process.

After a successful `develop`, `remember` records everything that the result depends on, and
`nothing_to_do` compares the record, build/state.json, with the present state.
"""

from __future__ import annotations

import contextlib
import os
import sys
from functools import lru_cache

from tools.base.fingerprint import first_change
from tools.base.store import Record, build_file

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tools.base.fingerprint import Entry

KEY = "develop"
# Arguments that change only how much is printed.
QUIET = ("-q", "--quiet")
# The argument to wait for another build in the same directory.
WAIT = "--wait"
_STATE: Record[dict[str, Any]] = Record("state.json", format=4)
NAME = _STATE.name
LAST_NAME = build_file("last_state.json")


def build_directories(root: str, arguments: list[str], environ: dict[str, str]) -> Iterator[str]:
    """Yield the build directories in which a `develop` with these arguments succeeded before.

    Only the table knows which option names the build directory, and reading it would take too long. So
    every value given is tried as one, and the record found there confirms it.
    """
    values = [argument.rpartition("=")[2] for argument in arguments]
    for value in dict.fromkeys(["build", *values, *environ.values()]):
        folder = os.path.abspath(os.path.join(root, value))
        known = read_state(folder).get(KEY) if "\0" not in value else None
        if (
            known
            and known["arguments"] == _relevant_arguments(arguments)
            and _same_environment(known, environ)
        ):
            yield folder


def nothing_to_do(root: str, build_dir: str, arguments: list[str], environ: dict[str, str]) -> bool:
    """Whether a `develop` with these arguments would change nothing."""
    known = read_state(build_dir).get(KEY)
    return (
        known is not None
        and known["arguments"] == _relevant_arguments(arguments)
        and _same(known, root, environ)
    )


def is_up_to_date(root: str, build_dir: str, environ: dict[str, str]) -> bool:
    """Whether repeating the last `develop` would change nothing."""
    known = read_state(build_dir).get(KEY)
    return known is not None and _same(known, root, environ)


def _same(known: dict, root: str, environ: dict[str, str]) -> bool:  # type: ignore[type-arg]
    if known["python"] != _python() or known["root"] != root:
        return False
    if not _same_environment(known, environ) or not all(map(os.path.exists, known["present"])):
        return False
    return first_change(known["entries"]) == ""


def _relevant_arguments(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if argument not in (*QUIET, WAIT)]


def _python() -> str:
    return f"{sys.executable} {sys.version}"


def _same_environment(known: dict, environ: dict[str, str]) -> bool:  # type: ignore[type-arg]
    """Whether no option's variable changed and no new variable could be a misspelt option."""
    for name, value in known["variables"].items():
        if environ.get(name) != value:
            return False
    return not any(environ[name].strip() for name in environ.keys() - known["names"])


def remember(
    root: str,
    build_dir: str,
    arguments: list[str],
    environ: dict[str, str],
    variables: list[str],
    inputs: dict[str, Entry],
    made: Mapping[str, Entry],
    present: Sequence[str] = (),
) -> None:
    """Record the state after a successful build.

    Args:
        root: The checkout.
        build_dir: The folder that holds the record.
        arguments: Those of the command, without its name.
        environ: The environment of the command.
        variables: The names of all options.
        inputs: A snapshot taken before the build read the files, so that the next build notices an
            edit made in the meantime.
        made: A snapshot of the build's results.
        present: Files that must exist, whatever they contain.
    """
    entries = {**inputs, **made, **inputs}  # files that people edit are compared first
    watched = {name: environ.get(name) for name in [*variables, "PATH", "VIRTUAL_ENV"]}
    record = {
        "root": root,
        "python": _python(),
        "arguments": _relevant_arguments(arguments),
        "variables": watched,
        "names": sorted(name for name, text in environ.items() if text.strip()),
        "entries": entries,
        "present": list(present),
    }
    write_state(build_dir, {KEY: record})


def forget(build_dir: str) -> dict[str, Entry]:
    """Withdraw the record before anything changes, so that a killed build never looks finished.

    Return the old snapshot, so that unchanged files are not read again.
    """
    state = read_state(build_dir)
    if KEY in state:
        set_state_aside(build_dir)
    else:  # the last build was killed, or its record is damaged
        state = read_state(build_dir, LAST_NAME)
    entries: dict[str, Entry] = state[KEY]["entries"] if KEY in state else {}
    return entries


if TYPE_CHECKING:
    from typing import Any


def read_state(build_dir: str, name: str = NAME) -> dict[str, Any]:
    """Return the state, or {} if there is none in this version's format."""
    path = os.path.join(build_dir, name)
    try:
        info = os.stat(path)
    except OSError:
        return {}
    return _read(path, info.st_mtime_ns, info.st_size)


@lru_cache(maxsize=1)  # if there is something to build, the build reads it again
def _read(path: str, _mtime_ns: int, _size: int) -> dict[str, Any]:
    return _STATE.read_file(path) or {}


def set_state_aside(build_dir: str) -> None:
    """Rename state.json to last_state.json, so that there is no state until the next success."""
    with contextlib.suppress(FileNotFoundError):
        os.replace(os.path.join(build_dir, NAME), os.path.join(build_dir, LAST_NAME))


def write_state(build_dir: str, state: dict[str, Any]) -> None:
    """Replace the state."""
    _STATE.write(build_dir, state)
