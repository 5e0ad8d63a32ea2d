"""Probe for the C headers of the running Python."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from . import ProbeContext, ProbeResult


def probe(context: ProbeContext) -> ProbeResult:
    """Look for Python.h."""
    folder = sysconfig.get_path("include")
    if Path(folder, "Python.h").is_file():
        return ProbeResult(True, folder)
    return ProbeResult(False, "Python.h is not installed", (folder,))
