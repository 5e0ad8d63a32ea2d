"""Sources that no build can use: files with names that CMake or Ninja misread, and what is no file at all."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tools.base.errors import usage_error
from tools.base.globs import matching

from ..table.config import Config
from ..table.targets import Extension, Library, Program, SourceGroup, UnitTests

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

# Determined by building in folders with such names, with the oldest versions that builds accept.
# Ninja's files cannot name a path that is not UTF-8.
MISREAD = re.compile(r'[;"?*|#\[\]<>\\\t\n\r\v\f\ud800-\udfff]|\$\(|\$\w*\{')
# In dependency files: Ninja does not see which headers were included.
MISREAD_BY_NINJA = re.compile(r"[&'`^]")
_KINDS = (
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


def check_sources(config: Config, inputs: Mapping[str, Entry]) -> None:
    """Raise BuildError if CMake would take one of the inputs for a source, and no build can use it."""
    if not (problems := sorted(_problems(config, inputs))):
        return
    raise usage_error(
        problems[0] if len(problems) == 1 else f"{len(problems)} sources cannot be compiled",
        cause="\n".join(problems) if len(problems) > 1 else "",
        hint="rename or move it, and run the command again"
        if len(problems) == 1
        else "rename or move them, and run the command again",
    )


def _problems(config: Config, inputs: Mapping[str, Entry]) -> Iterator[str]:
    start = len(f"{config.root}/")
    suspects = {
        path[start:]: entry
        for path, entry in inputs.items()
        if (entry[0] >= 0 and not entry[2]) or _misread(path[start:])
    }
    for path in matching(suspects, patterns_of_sources(config)) if suspects else ():
        shown = path if path.isprintable() else ascii(path)
        if kind := _kind(config.root / path):
            yield f"{shown} is a {kind}, and no source"
        elif found := _misread(path):
            yield f"{found!a} in the name of {shown}, which CMake or Ninja would misread"


def _misread(path: str) -> str:
    found = MISREAD.search(path) or MISREAD_BY_NINJA.search(path)
    return found[0] if found else ""


def _kind(path: os.PathLike[str]) -> str:
    """Return what a file is if it is no regular one that can be read; else an empty text."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return ""
    return next((name for test, name in _KINDS if test(mode)), "")


def patterns_of_sources(config: Config) -> list[str]:
    """Return the patterns by which CMake finds the sources of all targets."""
    rows: list[Library | SourceGroup | UnitTests | Program | Extension] = []
    for library in config.libraries:
        rows += [library, *library.groups, *library.tests, *library.programs]
    rows += [*config.extensions, *config.programs]
    kernels = (pattern for library in config.libraries for pattern in library.kernels)
    return [*kernels, *(pattern for row in rows for pattern in row.sources)]
