"""Probes of the running Python: its headers, its packages, and files that distributions install."""

from __future__ import annotations

import importlib.util
import sysconfig
from importlib import metadata
from pathlib import Path

from tools.base.distributions import installed_version

from . import ProbeContext, ProbeResult


def python_headers(context: ProbeContext) -> ProbeResult:
    """Look for Python.h."""
    folder = sysconfig.get_path("include")
    if Path(folder, "Python.h").is_file():
        return ProbeResult(True, folder)
    return ProbeResult(False, "Python.h is not installed", (folder,))


def python_package(context: ProbeContext, module: str, distribution: str) -> ProbeResult:
    """Find the module without importing it."""
    if importlib.util.find_spec(module) is None:
        return ProbeResult(False, f"{distribution} is not installed for {context.python}")
    return ProbeResult(True, f"{distribution} {installed_version(distribution)}")


def python_distribution(context: ProbeContext, distribution: str, pattern: str) -> ProbeResult:
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
