"""pip of the running Python, and what its refusals mean."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import environment_error
from .process import run

# What pip says, and what to do; the first that fits.
_HINTS = (
    (
        "externally-managed-environment",
        "this Python belongs to the system (PEP 668): use a virtual environment",
    ),
    ("No module named pip", "python -m ensurepip, or run from a virtual environment that has pip"),
    ("No space left on device", "free some space"),
    (
        r"Permission denied|Read-only file system",
        "this Python's packages are not yours to write: use a virtual environment",
    ),
    (
        r"No matching distribution|Could not find a version|Failed to establish a new connection",
        "is there a package index to reach? PIP_INDEX_URL names another",
    ),
)


def install(what: str, arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
    """Raises BuildError that says what could not be installed, and what to do."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    finished = run([*command, *arguments], environ=environ)
    if finished.code:
        cause = finished.output.strip()
        raise environment_error(f"pip could not install {what}", cause=cause, hint=_hint(cause))


def cannot_make(environment: Path, said: str) -> str:
    """What to do where a virtual environment cannot be made."""
    if re.search(r"Permission denied|Read-only file system|No space left", said):
        return f"let {environment.parent} be written to, or activate an environment elsewhere"
    return "install Python's venv module (python3-venv), or pass --system"


def _hint(said: str) -> str:
    return next((hint for pattern, hint in _HINTS if re.search(pattern, said)), "")
