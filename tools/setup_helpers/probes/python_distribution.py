"""Probe for a file that a Python distribution installs outside site-packages, such as a header."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from . import ProbeContext, ProbeResult


def probe(context: ProbeContext, distribution: str, pattern: str) -> ProbeResult:
    """Find a file of an installed distribution by the end of its path; `pattern` may hold wildcards."""
    path = find_file(distribution, pattern)
    if path is None:
        return ProbeResult(False, f"{distribution} is not installed for {context.python}")
    return ProbeResult(True, f"{distribution} {metadata.version(distribution)} has {path}")


def find_file(distribution: str, pattern: str) -> Path | None:
    """Return the first existing file of a distribution whose path ends with `pattern`."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())).resolve() for file in sorted(files))
    return next((path for path in paths if path.match(pattern) and path.is_file()), None)
