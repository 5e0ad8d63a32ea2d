"""Look up facts about the machine or the tree that the texts of a cause refer to.

Each lookup takes the groups that the pattern captured, the output that could not be built, and the context.
Packages are the rows of packages.toml; an undefined symbol may be defined by a file of this build.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import tomllib

from tools.base.errors import BuildError, nearest
from tools.base.process import run
from tools.setup_helpers.ninja.failures import FailureContext
from tools.setup_helpers.ninja.limits import memory_limit_mb, oom_kills
from tools.setup_helpers.package.manifest import staged_paths
from tools.setup_helpers.state.folders import is_build_directory

TABLE = Path(__file__).with_name("packages.toml")
MOST_FILES = 2000
"""Most object files to search; `nm` reads several thousand per second."""
_COMMON_FIXES = {
    "vtable for ": "define the first virtual function of that class that is neither inline nor pure: "
    "the compiler emits the vtable next to it",
    "std::__cxx11::": "the library that should define it may use libstdc++'s old string ABI: "
    "compile both with the same -D_GLIBCXX_USE_CXX11_ABI",
}
"""Part of an undefined symbol -> the usual fix."""


@cache
def _rows(kind: str) -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads(TABLE.read_text(encoding="utf-8"))[kind])


def _row(kind: str, name: str) -> dict[str, Any] | None:
    return next((r for r in _rows(kind) if re.fullmatch(r["names"], name)), None)


def install_command(kind: str, name: str) -> str:
    """Return how to install a `header`, `library` or `program`; empty when no row matches."""
    row = _row(kind, name)
    if row is None:
        return ""
    ways = []
    if "pip" in row:
        ways.append(f"pip install {row['pip']}")
    if "debian" in row:
        ways.append(f"apt-get install {row['debian']}")
    note = f" ({row['note']})" if "note" in row else ""
    return " or ".join(f"`{way}`" for way in ways) + note


def link_argument(symbol: str) -> str:
    """Return what to link for a symbol of the system; empty when no row matches."""
    row = _row("symbol", symbol)
    return str(row["link"]) if row else ""


def _remedy_for_symbol(symbol: str, output: str, context: FailureContext) -> str:
    """Return what to change so that `output` links; empty when nothing defines the symbol."""
    into = context.target_of(output)
    for file in sorted((context.build_dir / "lib").glob("*.so")):
        if context.target_of(file.name) != into and symbol in _defined([file], dynamic=True):
            return _link(context.target_of(file.name) or file.name, into)
    objects = sorted((context.build_dir / "CMakeFiles").rglob("*.o"))[:MOST_FILES]
    place = _defined(objects, dynamic=False).get(symbol)
    if place:
        return _hidden(symbol, place, into, context)
    function = symbol.partition("(")[0]
    if argument := link_argument(function):
        return f"link with {argument}"
    if empty := next((file for file in objects if not file.stat().st_size), None):
        return f"{empty.relative_to(context.build_dir)} is empty: delete it and rebuild"
    return next((advice for part, advice in _COMMON_FIXES.items() if part in symbol), "")


def _link(library: str, into: str) -> str:
    where = f"the `links` of {into!r}" if into else "the `links` of the target that failed"
    return f"{library!r} defines it: add it to {where} in build_config.toml"


def _hidden(symbol: str, place: str, into: str, context: FailureContext) -> str:
    """Return the fix for a symbol that an object defines but its library does not export."""
    relative = place.removeprefix(f"{context.build_dir}/")
    owner = context.target_of(relative)
    source = relative.partition(".dir/")[2].removesuffix(".o")
    if owner == into:
        return f"{source} defines it but is not linked: run `python setup.py clean` and rebuild"
    return f"{source} of {owner!r} defines it but does not export it: declare it with the library's export macro"


def _defined(files: Iterable[Path], *, dynamic: bool) -> dict[str, str]:
    """Return demangled symbol -> file for the external symbols that the files define."""
    names = [str(file) for file in files]
    if not names:
        return {}
    options = ["-D"] if dynamic else ["-g"]
    found = run(["nm", "-A", "-C", "--defined-only", *options, *names])
    defined = {}
    for line in found.output.splitlines():
        file, _, rest = line.partition(":")
        fields = rest.split(maxsplit=2)
        if len(fields) == 3:
            defined[fields[2].partition("@@")[0]] = file
    return defined


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
    return {"remedy": _remedy_for_symbol(words["symbol"], output, context)}


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
