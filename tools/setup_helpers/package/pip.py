"""Run pip of the running Python, and explain its errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.base.errors import environment_error
from tools.base.process import run

# Patterns of pip's output, and what to do; the first match counts.
_HINTS = (
    (
        "externally-managed-environment",
        "this Python belongs to the system (PEP 668): use a virtual environment",
    ),
    ("No module named pip", "python -m ensurepip, or run from a virtual environment that has pip"),
    ("No space left on device", "free some space"),
    (
        r"Permission denied|Read-only file system",
        "you may not write to this Python's packages: use a virtual environment",
    ),
    (
        r"No matching distribution|Could not find a version|Failed to establish a new connection",
        "check that the package index can be reached; PIP_INDEX_URL names another",
    ),
)


def install(what: str, arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
    """Run `pip install`; raise BuildError if it fails. `what` names the packages in messages."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    finished = run([*command, *arguments], environ=environ)
    if finished.code:
        cause = finished.output.strip()
        raise environment_error(f"pip could not install {what}", cause=cause, hint=_hint(cause))


def creation_hint(environment: Path, output: str) -> str:
    """Return what to do when creating a virtual environment failed with this output."""
    if re.search(r"Permission denied|Read-only file system|No space left", output):
        return f"make {environment.parent} writable, or activate an environment elsewhere"
    return "install Python's venv module (python3-venv), or pass --system"


def _hint(output: str) -> str:
    return next((hint for pattern, hint in _HINTS if re.search(pattern, output)), "")
