"""Track which files in CMake's folders a build created, so that `clean` keeps all others.

CMake keeps no list of the files it writes. So the files present are recorded before it starts, and
compared with those present when the build has ended.
"""

from __future__ import annotations

import os
from pathlib import Path

from tools.base.store import Record

_FILES: Record[dict[str, list[str]]] = Record("made_files.json")
FOLDERS = ("CMakeFiles", "third_party")
_MADE, _FOREIGN = "made", "foreign"


def begin(build_dir: Path) -> None:
    """Record the files present before CMake runs.

    After a killed build, files that appeared since its beginning count as CMake's.
    """
    record = _read(build_dir)
    present = _present(build_dir)
    if _MADE in record:
        foreign = {path for path in present - set(record[_MADE]) if not path.endswith("/")}
    else:
        foreign = present & set(record[_FOREIGN])
    _FILES.write(build_dir, {_FOREIGN: sorted(foreign)})


def end(build_dir: Path) -> None:
    """Record the files that the build created; files that appear later are not the build's."""
    if _FOREIGN in _read(build_dir):
        _FILES.write(build_dir, {_MADE: sorted(made_files(build_dir))})


def made_files(build_dir: Path) -> set[str]:
    """Return relative paths; the path of an empty folder ends with a slash."""
    record = _read(build_dir)
    if _MADE in record:
        return set(record[_MADE])
    return _present(build_dir) - set(record[_FOREIGN])


def _read(build_dir: Path) -> dict[str, list[str]]:
    """Return the record; without a usable one, no file counts as made."""
    record = _FILES.read(build_dir) or {}
    return record if record.keys() & {_MADE, _FOREIGN} else {_MADE: []}


def _present(build_dir: Path) -> set[str]:
    found: set[str] = set()
    for name in FOLDERS:
        for folder, folders, files in os.walk(build_dir / name):
            place = os.path.relpath(folder, build_dir)
            links = [f for f in folders if os.path.islink(os.path.join(folder, f))]
            found.update(os.path.join(place, file) for file in (*files, *links))
            if not folders and not files:
                found.add(f"{place}/")
    return found
