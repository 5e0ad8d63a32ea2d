"""Is a CMake package, or its header, installed where CMake looks?"""

from __future__ import annotations

import os
from pathlib import Path

from . import ProbeContext, ProbeResult


def probe(context: ProbeContext, package: str, header: str) -> ProbeResult:
    """Looks for PackageConfig.cmake and the header below the usual prefixes."""
    prefixes = [
        *context.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep),
        "/usr/local",
        "/usr",
    ]
    places = tuple(p for p in prefixes if p)
    for prefix in places:
        if Path(prefix, "include", header).is_file():
            for folder in Path(prefix).glob(f"lib*/**/cmake/{package}"):
                return ProbeResult(True, f"{package} is in {folder}")
    return ProbeResult(False, f"{package} is not installed", places)
