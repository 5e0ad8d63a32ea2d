"""Look up facts about the machine or the tree that the texts of a cause refer to.

Each lookup takes the groups that the pattern captured, the output that could not be built, and the context.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from tools.base.errors import BuildError, nearest
from tools.base.process import run
from tools.setup_helpers.ninja.failures import FailureContext
from tools.setup_helpers.ninja.limits import memory_limit_mb, oom_kills
from tools.setup_helpers.package.manifest import staged_paths
from tools.setup_helpers.state.folders import is_build_directory

from . import providers as symbols
from .providers import install_command

Words = Mapping[str, str]
Lookup = Callable[[Words, str, FailureContext], Words]
MOST_FOLDERS = 5000


def _memory(words: Words, output: str, context: FailureContext) -> Words:
    killed = oom_kills() > context.oom_kills
    return {
        "why": "because memory ran out, according to the kernel"
        if killed
        else "most likely because memory ran out",
        "fewer": str(max(1, context.jobs // 2)),
        "limit": str(memory_limit_mb()),
    }


def _disk(words: Words, output: str, context: FailureContext) -> Words:
    place = context.tightest_place()
    return {"disk": f"{place.name} {place.path} has {place.free >> 20} MiB left"}


def _program(words: Words, output: str, context: FailureContext) -> Words:
    name = os.path.basename(words.get("program", "")) or "the compiler"
    return {"program": name, "package": install_command("program", name)}


def _python(words: Words, output: str, context: FailureContext) -> Words:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    package = f"python{version}-dev (Debian) or python{version}-devel (Fedora)"
    return {
        "package": f"{package}, or use a Python that has its headers: {sys.executable} has none"
    }


def _header(words: Words, output: str, context: FailureContext) -> Words:
    header = words["header"]
    if package := install_command("header", header):
        return {"remedy": package}
    folder, base = os.path.split(header)
    staged = staged_paths(context.root, context.build_dir)  # copies, which nobody includes here
    files = [file for file in _files(context) if file not in staged]
    same = [file for file in files if os.path.basename(file) == base]
    for file in same:
        if f"/{file}".endswith(f"/{header}"):
            place = file.removesuffix(header).rstrip("/") or "."
            return {
                "remedy": f"{file} is in the checkout, but {place} is not an include folder here"
            }
    if same:
        return {"remedy": f"the checkout has {same[0]}: did you mean that one?"}
    siblings = [f for f in files if folder and f"/{os.path.dirname(f)}".endswith(f"/{folder}")]
    if near := nearest(base, [os.path.basename(file) for file in siblings]):
        return {"remedy": f"did you mean {folder}/{near}?"}
    copies = [path for path in sorted(staged) if f"/{path}".endswith(f"/{header}")]
    return {"remedy": _once_staged(header, copies[0])} if copies else {}


def _once_staged(header: str, copy: str) -> str:
    return (
        f"an earlier build had {header} and staged {copy}, but no source or generator provides it now: "
        "remove the #include, or restore the file that it came from"
    )


def _files(context: FailureContext) -> Iterator[str]:
    """Yield the checkout's files by relative path, including those generated in this build directory."""
    for folder, folders, files in islice(os.walk(context.root), MOST_FOLDERS):
        if is_build_directory(Path(folder)) and Path(folder) != context.build_dir:
            folders.clear()  # another build directory
            continue
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "CMakeFiles")
        inside = os.path.relpath(folder, context.root)
        yield from (os.path.normpath(os.path.join(inside, file)) for file in files)


def _library(words: Words, output: str, context: FailureContext) -> Words:
    name = words["library"]
    if package := install_command("library", name):
        return {"remedy": package}
    if name in context.targets:
        return {
            "remedy": f"{name!r} is a library of this project that was not built: is it only planned?"
        }
    return {}


def _symbol(words: Words, output: str, context: FailureContext) -> Words:
    return {"remedy": symbols.remedy(words["symbol"], output, context)}


def _demangled(words: Words, output: str, context: FailureContext) -> Words:
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


def look_up(ask: str, words: Words, output: str, context: FailureContext) -> Words:
    """Add the lookup's answers to the words; an error in the lookup must not hide the failure."""
    try:
        found = LOOKUPS[ask](words, output, context) if ask else {}
    except (OSError, BuildError, subprocess.SubprocessError):
        found = {}
    return {**context.options, **words, **{name: text for name, text in found.items() if text}}
