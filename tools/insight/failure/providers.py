"""Find what provides a missing header, library, program or symbol.

Packages are the rows of packages.toml; an undefined symbol may be defined by a file of this build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import tomllib

from tools.base.process import run
from tools.setup_helpers.ninja.failures import FailureContext

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


def remedy(symbol: str, output: str, context: FailureContext) -> str:
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
