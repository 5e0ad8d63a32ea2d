"""The state that the last successful build left, and the no-op build, which compares it with the present one.

build/state.json exists only while the last build succeeded. A build renames it to last_state.json before it
changes anything, so that a killed build never looks finished. It holds

- `inputs`, `outside` and `made`: snapshots of what the build read in the checkout and elsewhere, and of the
  package's files;
- `build`: when it ran, for reports (see inputs.py);
- `develop`: after a `develop`, what else its result depends on.

The no-op build imports next to nothing and starts no process: what else this module needs is imported where
it is used.
"""

from __future__ import annotations

import os
import sys

from tools.base.fingerprint import first_change
from tools.base.store import Record, build_file

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

KEY = "develop"
# Arguments that change only how much is printed.
QUIET = ("-q", "--quiet")
# The argument to wait for another build in the same directory.
WAIT = "--wait"
# Arguments that ask for something on every request. No record has them, so such a `develop` never matches one.
_EVERY_TIME = ("--cmake", "--profile-compile")
# Variables in which GCC and Clang find headers and their own programs, so that they change objects.
COMPILER_VARIABLES = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
)
# Variables in which linkers find libraries, or that they write into what they link.
LINKER_VARIABLES = ("LIBRARY_PATH", "LD_RUN_PATH")
# Variables besides the options on which a `develop` depends.
_OTHER_VARIABLES = ("PATH", "VIRTUAL_ENV", *COMPILER_VARIABLES, *LINKER_VARIABLES)
_STATE: Record[dict[str, Any]] = Record("state.json", format=7)
NAME = _STATE.name
LAST_NAME = build_file("last_state.json")
# Not functools.lru_cache, whose import would take a tenth of a no-op build.
_last_read: dict[tuple[str, int, int], dict[str, Any]] = {}


def build_directories(root: str, arguments: list[str], environ: dict[str, str]) -> Iterator[str]:
    """Yield the build directories in which a `develop` with these arguments succeeded before.

    Only the table knows which option names the build directory, and reading it would take too long. So
    every value given is tried as one, and the record found there confirms it.
    """
    values = [argument.rpartition("=")[2] for argument in arguments]
    for value in dict.fromkeys(["build", *values, *environ.values()]):
        folder = os.path.abspath(os.path.join(root, os.path.expanduser(value)))
        known = read_state(folder).get(KEY) if "\0" not in value else None
        if (
            known
            and known["arguments"] == _relevant_arguments(arguments)
            and _same_environment(known, environ)
        ):
            yield folder


def nothing_to_do(
    root: str, build_dir: str, arguments: list[str], environ: dict[str, str], python: str = ""
) -> bool:
    """Whether a `develop` with these arguments would change nothing.

    `python` is the interpreter that would run it, with this one's version; the default is this one.
    """
    known = read_state(build_dir).get(KEY)
    return (
        known is not None
        and known["arguments"] == _relevant_arguments(arguments)
        and is_up_to_date(root, build_dir, environ, python)
    )


def is_up_to_date(root: str, build_dir: str, environ: dict[str, str], python: str = "") -> bool:
    """Whether repeating the last `develop` would change nothing; `python` as for `nothing_to_do`."""
    state = read_state(build_dir)
    known = state.get(KEY)
    if known is None or known["python"] != _python(python) or known["root"] != root:
        return False
    if not _same_environment(known, environ) or not all(map(os.path.exists, known["present"])):
        return False
    taken = time_of_last_state(build_dir)
    # Files that people edit are compared first.
    return not any(first_change(state[kind], taken) for kind in ("inputs", "made", "outside"))


def _relevant_arguments(arguments: Sequence[str]) -> list[str]:
    return [argument for argument in arguments if argument not in (*QUIET, WAIT)]


def _python(executable: str = "") -> str:
    return f"{executable or sys.executable} {sys.version}"


def _same_environment(known: dict, environ: dict[str, str]) -> bool:  # type: ignore[type-arg]
    """Whether no option's variable changed and no new variable could be a misspelt option."""
    compared = known["variables"]
    if any(_value(name, environ) != value for name, value in compared.items()):
        return False
    return not any(
        environ[name].strip() for name in environ.keys() - known["names"] - compared.keys()
    )


def _value(name: str, environ: Mapping[str, str]) -> str | None:
    """Return a variable's value; VIRTUAL_ENV is that of the running environment, whether it is activated or not."""
    if name == "VIRTUAL_ENV" and name not in environ and sys.prefix != sys.base_prefix:
        return sys.prefix
    return environ.get(name)


def develop_record(
    root: str,
    arguments: Sequence[str],
    environ: Mapping[str, str],
    variables: Iterable[str],
    present: Sequence[str],
) -> dict[str, Any]:
    """Return what the result of a `develop` depends on besides files.

    Args:
        root: The checkout.
        arguments: Those of the command, without its name.
        environ: The environment of the command.
        variables: The names of all options.
        present: Files that must exist, whatever they contain.
    """
    return {
        "root": root,
        "python": _python(),
        "arguments": [a for a in _relevant_arguments(arguments) if not a.startswith(_EVERY_TIME)],
        "variables": {name: _value(name, environ) for name in [*variables, *_OTHER_VARIABLES]},
        "names": sorted(name for name, text in environ.items() if text.strip()),
        "present": list(present),
    }


def withdraw(build_dir: str) -> None:
    """Withdraw the state before anything changes."""
    from contextlib import suppress

    if read_state(build_dir):
        with suppress(FileNotFoundError):
            os.replace(os.path.join(build_dir, NAME), os.path.join(build_dir, LAST_NAME))


def last_state(build_dir: str) -> dict[str, Any]:
    """Return the state of the last successful build, even if a later one failed; {} if there was none."""
    return read_state(build_dir) or read_state(build_dir, LAST_NAME)


def time_of_last_state(build_dir: str) -> int:
    """Return when the state of the last successful build was written, in nanoseconds; 0 without one."""
    for name in (NAME, LAST_NAME):
        try:
            return os.stat(os.path.join(build_dir, name)).st_mtime_ns
        except OSError:
            continue
    return 0


def read_state(build_dir: str, name: str = NAME) -> dict[str, Any]:
    """Return the state, or {} if there is none in this version's format."""
    path = os.path.join(build_dir, name)
    try:
        info = os.stat(path)
    except OSError:
        return {}
    key = (path, info.st_mtime_ns, info.st_size)
    if key not in _last_read:  # if there is something to build, the build reads it again
        _last_read.clear()
        _last_read[key] = _STATE.read_file(path) or {}
    return _last_read[key]


def write_state(build_dir: str, state: dict[str, Any]) -> None:
    """Replace the state after a build succeeded."""
    _STATE.write(build_dir, state)
    from contextlib import suppress

    with suppress(FileNotFoundError):
        os.unlink(os.path.join(build_dir, LAST_NAME))
