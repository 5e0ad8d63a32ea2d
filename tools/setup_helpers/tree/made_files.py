"""Which files of the folders that CMake fills came to be while it ran; any other there is somebody's own.

CMake keeps no list of what it writes. So what is there is noted when it begins, and compared when the
build that it belongs to has ended.
"""

from __future__ import annotations

import os
from pathlib import Path

from .sealed import read_sealed, write_sealed

NAME = "made_files.json"
FOLDERS = ("CMakeFiles", "third_party")
_MADE, _STRANGERS = "made", "strangers"


def begin(build_dir: Path) -> None:
    """CMake runs now. After a build that was killed, what has come since the last beginning is CMake's."""
    record = read_sealed(build_dir / NAME) or {_MADE: []}
    present = _present(build_dir)
    if _MADE in record:
        strangers = {path for path in present - set(record[_MADE]) if not path.endswith("/")}
    else:
        strangers = present & set(record[_STRANGERS])
    write_sealed(build_dir / NAME, {_STRANGERS: sorted(strangers)})


def end(build_dir: Path) -> None:
    """Whatever comes now, the build did not make."""
    record = read_sealed(build_dir / NAME) or {}
    if _STRANGERS in record:
        write_sealed(build_dir / NAME, {_MADE: sorted(made_files(build_dir))})


def made_files(build_dir: Path) -> set[str]:
    """Relative paths; a folder that was left empty ends with a slash."""
    record = read_sealed(build_dir / NAME) or {_MADE: []}
    if _MADE in record:
        return set(record[_MADE])
    return _present(build_dir) - set(record[_STRANGERS])


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
