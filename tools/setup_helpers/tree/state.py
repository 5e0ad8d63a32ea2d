"""The state of the last build, build/state.json. The no-op build imports this module."""

from __future__ import annotations

import contextlib
import os
from functools import lru_cache

from .sealed import read_sealed, write_sealed

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from typing import Any

FORMAT = 4
NAME = "state.json"
LAST_NAME = "last_state.json"


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
    state = read_sealed(path)
    return state if state and state["format"] == FORMAT else {}


def set_state_aside(build_dir: str) -> None:
    """Rename state.json to last_state.json, so that there is no state until the next success."""
    with contextlib.suppress(FileNotFoundError):
        os.replace(os.path.join(build_dir, NAME), os.path.join(build_dir, LAST_NAME))


def write_state(build_dir: str, state: dict[str, Any]) -> None:
    """Replace the state."""
    write_sealed(os.path.join(build_dir, NAME), {**state, "format": FORMAT})
