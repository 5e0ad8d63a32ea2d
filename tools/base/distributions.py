"""Find the distributions of the running Python, and the requirements that they do not meet.

This runs before every build, so it reads the names of folders where they suffice: importing
importlib.metadata and packaging takes longer.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from functools import cache

_PLAIN_VERSION = re.compile(r"\d+(?:\.\d+)*")
_AT_LEAST = re.compile(rf"\s*([A-Za-z0-9._-]+)\s*>=\s*({_PLAIN_VERSION.pattern})\s*")


def missing_requirements(requirements: Iterable[str]) -> list[str]:
    """Return the requirements whose distribution is absent or has a version that they do not allow."""
    return [r for r in requirements if not (_plainly_met(r) or _is_met(r))]


def installed_version(name: str) -> str:
    """Return the version of the distribution that comes first on the path; empty when it is absent."""
    if version := _by_folder().get(normalised(name)):
        return version
    from importlib import metadata  # also finds eggs and archives

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def forget_installed() -> None:
    """Drop cached results; call this after installing something."""
    import importlib

    _by_folder.cache_clear()
    importlib.invalidate_caches()


@cache
def _by_folder() -> dict[str, str]:
    """Map normalised names to versions, from the names of `.dist-info` folders."""
    found: dict[str, str] = {}
    for place in sys.path:
        try:
            names = os.listdir(place or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.endswith(".dist-info"):
                distribution, _, version = name.removesuffix(".dist-info").rpartition("-")
                found.setdefault(normalised(distribution), version)
    return found


def normalised(name: str) -> str:
    """Return the name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required_name(requirement: str) -> str:
    """Return the normalised name at the start of a requirement."""
    found = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
    return normalised(found[1]) if found else ""


def _plainly_met(requirement: str) -> bool:
    """Whether the requirement is of the form `name>=version` and that is installed."""
    required = _AT_LEAST.fullmatch(requirement)
    version = _by_folder().get(normalised(required[1]), "") if required else ""
    if required is None or not _PLAIN_VERSION.fullmatch(version):
        return False
    installed, minimum = (tuple(map(int, text.split("."))) for text in (version, required[2]))
    return installed >= minimum


def _is_met(requirement: str) -> bool:
    """Whether an installed distribution meets the requirement; False leaves the question to pip.

    That is the answer where packaging is absent or cannot parse the requirement.
    """
    try:
        from packaging.requirements import InvalidRequirement, Requirement
    except ImportError:
        return False
    try:
        required = Requirement(requirement)
    except InvalidRequirement:
        return False
    if required.marker and not required.marker.evaluate():
        return True
    version = installed_version(required.name)
    return bool(version) and required.specifier.contains(version, prereleases=True)
