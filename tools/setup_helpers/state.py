"""What the last build knew: build/state.json, replaced atomically. On the no-op path."""

from __future__ import annotations

import json
import os
from typing import Any

FORMAT = 1
NAME = "state.json"


def read_state(build_dir: str) -> dict[str, Any]:
    """The state, or {} when there is none that this version understands."""
    try:
        with open(os.path.join(build_dir, NAME), "rb") as file:
            state = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) and state.get("format") == FORMAT else {}


def write_state(build_dir: str, state: dict[str, Any]) -> None:
    """Replaces the state."""
    from pathlib import Path

    from .atomic import write_atomically

    os.makedirs(build_dir, exist_ok=True)
    text = json.dumps({**state, "format": FORMAT}, separators=(",", ":"))
    write_atomically(Path(build_dir, NAME), text.encode())
