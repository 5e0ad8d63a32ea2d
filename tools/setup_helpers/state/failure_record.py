"""The last failure of a tree, kept for `explain failure`: build/logs/failure.json."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tools.base.atomic import write_atomically
from tools.base.errors import BuildError

from .log import FOLDER

NAME = "failure.json"


def facts_of(error: BuildError) -> dict[str, Any]:
    """Return the facts of a failure for report.json; a tool's failure adds command and diagnostics."""
    facts = {"message": error.message, "cause": error.cause, "hint": error.hint, "log": error.log}
    return {**facts, **error.facts()}


def remember(build_dir: Path, facts: dict[str, Any], command: str) -> None:
    """Record the failure until the next one; errors while writing are ignored."""
    record = {"time": time.time(), "setup": command, **facts}
    try:
        (build_dir / FOLDER).mkdir(exist_ok=True)
        write_atomically(build_dir / FOLDER / NAME, json.dumps(record, indent=1).encode())
    except OSError:
        pass


def recall(build_dir: Path) -> dict[str, Any] | None:
    """Return the last recorded failure, or None."""
    try:
        record = json.loads((build_dir / FOLDER / NAME).read_bytes())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and "message" in record else None
