"""The path of a build that has nothing to do. It imports next to nothing and starts no process.

After a successful `develop`, `remember` records what the result depended on; `nothing_to_do` compares.
"""

from __future__ import annotations

import sys

from .fingerprint import first_change
from .state import LAST_NAME, read_state, set_state_aside, write_state

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .fingerprint import Entry

KEY = "develop"
# Arguments that say how much to print; a build is the same with or without them.
QUIET = ("-q", "--quiet")


def nothing_to_do(root: str, build_dir: str, arguments: list[str], environ: dict[str, str]) -> bool:
    """Whether a `develop` with these arguments would change nothing."""
    known = read_state(build_dir).get(KEY)
    return (
        known is not None
        and known["arguments"] == _meant(arguments)
        and _same(known, root, environ)
    )


def as_left(root: str, build_dir: str, environ: dict[str, str]) -> bool:
    """Whether the last `develop`, called again, would change nothing."""
    known = read_state(build_dir).get(KEY)
    return known is not None and _same(known, root, environ)


def _same(known: dict, root: str, environ: dict[str, str]) -> bool:  # type: ignore[type-arg]
    if known["python"] != _python() or known["root"] != root:
        return False
    return _same_environment(known, environ) and first_change(known["entries"]) == ""


def _meant(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if argument not in QUIET]


def _python() -> str:
    return f"{sys.executable} {sys.version}"


def _same_environment(known: dict, environ: dict[str, str]) -> bool:  # type: ignore[type-arg]
    """Every option's variable as it was, and no name that was never checked for a misspelt option."""
    for name, value in known["variables"].items():
        if environ.get(name) != value:
            return False
    return not (environ.keys() - known["names"])


def remember(
    root: str,
    build_dir: str,
    arguments: list[str],
    environ: dict[str, str],
    variables: list[str],
    inputs: dict[str, Entry],
    made: Mapping[str, Entry],
) -> None:
    """Records the state after success. `variables` is every option's name.

    `inputs` was taken before the build read them, so that an edit made meanwhile is seen next time;
    `made` is what the build left.
    """
    entries = {**inputs, **made, **inputs}  # what a person edits is compared first
    watched = {name: environ.get(name) for name in [*variables, "PATH", "VIRTUAL_ENV"]}
    record = {
        "root": root,
        "python": _python(),
        "arguments": _meant(arguments),
        "variables": watched,
        "names": sorted(environ),
        "entries": entries,
    }
    write_state(build_dir, {KEY: record})


def forget(build_dir: str) -> dict[str, Entry]:
    """Before anything is changed: a build that dies must not look finished.

    What its files looked like is kept and returned, so that those that stay are not read again.
    """
    state = read_state(build_dir)
    if KEY in state:
        set_state_aside(build_dir)
    else:  # the last build died, or its record is damaged
        state = read_state(build_dir, LAST_NAME)
    entries: dict[str, Entry] = state[KEY]["entries"] if KEY in state else {}
    return entries
