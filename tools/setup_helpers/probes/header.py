"""Probe for a header where CMake looks for headers."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from . import ProbeContext, ProbeResult
from .cmake_package import prefixes


def probe(context: ProbeContext, header: str, *folders: str) -> ProbeResult:
    """Look for the header below the usual prefixes, also in these folders of their include folders."""
    arch = sysconfig.get_config_var("MULTIARCH") or ""
    places = prefixes(context)
    for prefix in places:
        for folder in ("", arch, *folders):
            path = Path(prefix, "include", folder, header)
            if path.is_file():
                return ProbeResult(True, f"{header} is in {path.parent}")
    return ProbeResult(False, f"{header} is not installed", places)
