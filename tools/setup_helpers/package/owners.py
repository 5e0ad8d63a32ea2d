"""Which distributions lie in a folder of packages, and which of them owns an import package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..distributions import normalised

# What installers left of the files they placed: pip and its like, and setuptools before them.
_LISTS = ("RECORD", "SOURCES.txt")


@dataclass(frozen=True)
class Installed:
    """A distribution by its folder (or file) of metadata; the name is normalised."""

    name: str
    version: str
    place: Path

    def owns(self, package: str) -> bool:
        """By the list of its files."""
        own = re.compile(rf"^{re.escape(package)}/__init__\.py(,|$)", re.MULTILINE)
        for name in _LISTS:
            try:
                text = (self.place / name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if own.search(text):
                return True
        return False


def installed_in(site: Path) -> Iterator[Installed]:
    """What lies there, in the order of names."""
    for place in sorted(site.iterdir()) if site.is_dir() else ():
        if place.suffix in (".dist-info", ".egg-info", ".egg-link"):
            name, _, rest = place.stem.partition("-")
            yield Installed(normalised(name), rest.partition("-")[0], place)
