"""Which distributions the running Python has, and which requirements they do not meet.

Asked before every build: the names of folders answer what they can, since importlib.metadata and
packaging take longer to import than the answer is worth.
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
    """Those whose distribution is absent, or not of a version that they allow."""
    return [r for r in requirements if not (_plainly_met(r) or _is_met(r))]


def installed_version(name: str) -> str:
    """Of the distribution that comes first on the path; empty when it is absent."""
    if version := _by_folder().get(normalised(name)):
        return version
    from importlib import metadata  # knows eggs and archives, too

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def look_again() -> None:
    """After something was installed."""
    import importlib

    _by_folder.cache_clear()
    importlib.invalidate_caches()


@cache
def _by_folder() -> dict[str, str]:
    """Normalised name -> version, by the names of `.dist-info` folders."""
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
    return re.sub(r"[-_.]+", "-", name).lower()


def _plainly_met(requirement: str) -> bool:
    """Whether it asks for no more than a least version, and that is there."""
    asked = _AT_LEAST.fullmatch(requirement)
    version = _by_folder().get(normalised(asked[1]), "") if asked else ""
    if asked is None or not _PLAIN_VERSION.fullmatch(version):
        return False
    there, least = (tuple(map(int, text.split("."))) for text in (version, asked[2]))
    return there >= least


def _is_met(requirement: str) -> bool:
    """Where packaging is absent, or does not understand it, pip is the one to say."""
    try:
        from packaging.requirements import InvalidRequirement, Requirement
    except ImportError:
        return False
    try:
        asked = Requirement(requirement)
    except InvalidRequirement:
        return False
    if asked.marker and not asked.marker.evaluate():
        return True
    version = installed_version(asked.name)
    return bool(version) and asked.specifier.contains(version, prereleases=True)
