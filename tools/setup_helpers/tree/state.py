"""What the last build knew: build/state.json. On the no-op path."""

from __future__ import annotations

import os

from .sealed import read_sealed, write_sealed

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from typing import Any

FORMAT = 2
NAME = "state.json"


def read_state(build_dir: str) -> dict[str, Any]:
    """The state, or {} when there is none that this version understands."""
    state = read_sealed(os.path.join(build_dir, NAME))
    return state if state and state["format"] == FORMAT else {}


def write_state(build_dir: str, state: dict[str, Any]) -> None:
    """Replaces the state."""
    write_sealed(os.path.join(build_dir, NAME), {**state, "format": FORMAT})
