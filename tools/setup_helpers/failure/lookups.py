"""What a cause's row asks about the machine or the tree: words for its texts.

Each takes the words that the pattern found, the output that was not made, and the scene.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from ..errors import BuildError
from ..process import run
from ..resources import memory_limit_mb, oom_kills
from ..suggest import nearest
from . import symbols
from .packages import install_command
from .scene import Scene

Words = Mapping[str, str]
Lookup = Callable[[Words, str, Scene], Words]
MOST_FOLDERS = 5000


def _memory(words: Words, output: str, scene: Scene) -> Words:
    killed = oom_kills() > scene.oom_kills
    return {
        "why": "because memory ran out: the kernel says so"
        if killed
        else "most likely because memory ran out",
        "fewer": str(max(1, scene.jobs // 2)),
        "limit": str(memory_limit_mb()),
    }


def _disk(words: Words, output: str, scene: Scene) -> Words:
    place = scene.tightest_place()
    return {"disk": f"{place.name} {place.path} has {place.free >> 20} MiB left"}


def _program(words: Words, output: str, scene: Scene) -> Words:
    name = os.path.basename(words.get("program", "")) or "the compiler"
    return {"program": name, "package": install_command("program", name)}


def _python(words: Words, output: str, scene: Scene) -> Words:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    package = f"python{version}-dev (Debian) or python{version}-devel (Fedora)"
    return {
        "package": f"{package}, or use a Python that has its headers: {sys.executable} has none"
    }


def _header(words: Words, output: str, scene: Scene) -> Words:
    header = words["header"]
    if package := install_command("header", header):
        return {"remedy": package}
    folder, base = os.path.split(header)
    files = list(_files(scene))
    same = [file for file in files if os.path.basename(file) == base]
    for file in same:
        if f"/{file}".endswith(f"/{header}"):
            place = file.removesuffix(header).rstrip("/") or "."
            return {"remedy": f"{file} is in the checkout, but {place} is no include folder here"}
    if same:
        return {"remedy": f"the checkout has {same[0]}: is that the one meant?"}
    beside = [f for f in files if folder and f"/{os.path.dirname(f)}".endswith(f"/{folder}")]
    if near := nearest(base, [os.path.basename(file) for file in beside]):
        return {"remedy": f"did you mean {folder}/{near}?"}
    return {}


def _files(scene: Scene) -> Iterator[str]:
    """The checkout's files, generated ones included, by their path in it."""
    for folder, folders, files in islice(os.walk(scene.root), MOST_FOLDERS):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "CMakeFiles")
        inside = os.path.relpath(folder, scene.root)
        yield from (os.path.normpath(os.path.join(inside, file)) for file in files)


def _library(words: Words, output: str, scene: Scene) -> Words:
    name = words["library"]
    if package := install_command("library", name):
        return {"remedy": package}
    if name in scene.targets:
        return {
            "remedy": f"{name!r} is a library of this project that was not built: is it planned?"
        }
    return {}


def _symbol(words: Words, output: str, scene: Scene) -> Words:
    return {"remedy": symbols.remedy(words["symbol"], output, scene)}


def _demangled(words: Words, output: str, scene: Scene) -> Words:
    return {"symbol": run(["c++filt", words["symbol"]]).output.strip()}


LOOKUPS: dict[str, Lookup] = {
    "memory": _memory,
    "disk": _disk,
    "program": _program,
    "python": _python,
    "header": _header,
    "library": _library,
    "symbol": _symbol,
    "demangled": _demangled,
}


def look_up(ask: str, words: Words, output: str, scene: Scene) -> Words:
    """The words with what the lookup adds. One that cannot be answered must not hide the failure."""
    try:
        found = LOOKUPS[ask](words, output, scene) if ask else {}
    except (OSError, BuildError, subprocess.SubprocessError):
        found = {}
    return {**scene.options, **words, **{name: text for name, text in found.items() if text}}
