"""What is installed in an environment: who owns the package's name, and the RECORD files."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.base.distributions import normalised

COMPANION_MARKER = "companion_of"
"""The file in its metadata folder by which a companion is known."""

# Lists of installed files, as written by pip and by old versions of setuptools.
_LISTS = ("RECORD", "SOURCES.txt")
NAME = "RECORD"


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


def is_companion(info: Path) -> bool:
    """Return whether a metadata folder is that of a companion, see `companion.py`."""
    return (info / COMPANION_MARKER).is_file()


def write_record(site: Path, info: Path) -> None:
    """Write the RECORD of all files below `site` into the metadata folder `info`."""
    rows = [(_name(path, site), *_digest(path)) for path in site.rglob("*") if path.is_file()]
    with open(info / NAME, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(sorted([*rows, (f"{info.name}/{NAME}", "", "")]))


def recorded_files(info: Path) -> list[Path]:
    """Return every installed file. Raise OSError or ValueError if RECORD cannot be read."""
    return [info.parent / name for name in _read(info)]


def is_intact(info: Path) -> bool:
    """Whether every file matches RECORD, and RECORD lists every file of the metadata."""
    site = info.parent
    try:
        rows = _read(info)
        present = {_name(path, site) for path in info.rglob("*") if path.is_file()}
        return present <= rows.keys() and all(
            _digest(site / name) == row for name, row in rows.items() if row[0]
        )
    except (OSError, ValueError):
        return False


def _read(info: Path) -> dict[str, tuple[str, str]]:
    """Map names to digest and size; both are empty for RECORD itself."""
    try:
        with open(info / NAME, encoding="utf-8", newline="") as file:
            return {name: (digest, size) for name, digest, size in csv.reader(file)}
    except csv.Error as error:
        raise ValueError(f"{info / NAME}: {error}") from error


def _name(path: Path, site: Path) -> str:
    return path.relative_to(site).as_posix()


def _digest(path: Path) -> tuple[str, str]:
    data = path.read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"sha256={digest}", str(len(data))
