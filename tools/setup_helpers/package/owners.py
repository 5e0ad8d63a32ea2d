"""Find the distributions in a folder of packages, and the one that owns an import package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.base.distributions import normalised

# Lists of installed files, as written by pip and by old versions of setuptools.
_LISTS = ("RECORD", "SOURCES.txt")


@dataclass(frozen=True)
class Installed:
    """An installed distribution with its metadata folder (or file); the name is normalised."""

    name: str
    version: str
    place: Path

    def owns(self, package: str) -> bool:
        """Whether the distribution installed the import package, by its list of files."""
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
    """Yield the installed distributions, sorted by name."""
    for place in sorted(site.iterdir()) if site.is_dir() else ():
        if place.suffix in (".dist-info", ".egg-info", ".egg-link"):
            name, _, rest = place.stem.partition("-")
            yield Installed(normalised(name), rest.partition("-")[0], place)
