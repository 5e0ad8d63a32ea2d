"""Probes of libraries below the prefixes that CMake searches: a package with its header, or a header."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

from . import ProbeContext, ProbeResult
from .python import find_file

# Folders below a prefix that find_package searches; `{arch}` is Debian's folder for one architecture.
_FOLDERS = ("lib/{arch}/cmake", "lib/cmake", "lib64/cmake", "share/cmake")


def prefixes(context: ProbeContext) -> tuple[str, ...]:
    """Return the prefixes that CMake searches."""
    given = context.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep)
    return tuple(prefix for prefix in (*given, "/usr/local", "/usr") if prefix)


def cmake_package(context: ProbeContext, package: str, header: str) -> ProbeResult:
    """Look for PackageConfig.cmake and the header below the usual prefixes."""
    places = prefixes(context)
    arch = sysconfig.get_config_var("MULTIARCH") or ""
    names = (f"{package}Config.cmake", f"{package.lower()}-config.cmake")
    for prefix in places:
        if Path(prefix, "include", header).is_file():
            for pattern in _FOLDERS:
                folder = Path(prefix, pattern.format(arch=arch), package)
                if any((folder / name).is_file() for name in names):
                    return ProbeResult(True, f"{package} is in {folder}")
    return ProbeResult(False, f"{package} is not installed", places)


def header(context: ProbeContext, header: str, *folders: str) -> ProbeResult:
    """Look for the header below the usual prefixes, also in these folders of their include folders."""
    arch = sysconfig.get_config_var("MULTIARCH") or ""
    places = prefixes(context)
    for prefix in places:
        for folder in ("", arch, *folders):
            path = Path(prefix, "include", folder, header)
            if path.is_file():
                return ProbeResult(True, f"{header} is in {path.parent}")
    return ProbeResult(False, f"{header} is not installed", places)


def header_or_distribution(
    context: ProbeContext, header_name: str, distribution: str
) -> ProbeResult:
    """Look for the header below the usual prefixes, or in a distribution of the running Python."""
    result = header(context, header_name)
    if result.found:
        return result
    path = find_file(distribution, f"include/{header_name}")
    if path is not None:
        return ProbeResult(True, f"{distribution} has {path}")
    reason = (
        f"{header_name} is not installed, and {distribution} is not installed for {context.python}"
    )
    remedy = f"python -m pip install --pre {distribution}"
    return ProbeResult(False, reason, result.looked, remedy=remedy)
