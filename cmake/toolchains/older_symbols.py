"""Write a stand-in for a shared library that has only the symbols of an older release, to link with.

    older_symbols.py LIBRARY STAND_IN NEWEST...        (such as GLIBC_2.28 or GLIBCXX_3.4.24)

A symbol that changed since then is bound to its older version. The stand-in has the name of the library inside,
so the linked program loads the library itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# ADDRESS FLAGS SECTION SIZE VERSION NAME, as objdump prints it; a version in parentheses is not the default.
_SYMBOL = re.compile(
    r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)  ?(\(?)([\w.]+)\)?\s+(\S+)$", re.MULTILINE
)
_PLACE = "older_symbol_"
Version = tuple[int, ...]


@dataclass(frozen=True)
class Symbol:
    """A symbol that a library defines."""

    name: str
    version: str
    is_default: bool
    kind: str
    """As the assembler calls it: function, object or tls_object."""
    size: int


def main(library: str, stand_in: str, *newest: str) -> int:
    """Write the stand-in, and return the linker's exit code."""
    limits = dict(_split(each) for each in newest)
    kept = older(symbols(library), limits)
    command = ["objdump", "-p", library]
    headers = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"SONAME +(\S+)", headers)
    name = found[1] if found else Path(library).name
    with tempfile.TemporaryDirectory() as folder:
        source, versions = Path(folder, "symbols.s"), Path(folder, "versions")
        source.write_text("\n".join(assembly(kept)) + "\n", encoding="utf-8")
        nodes = sorted({each.version for each in kept})
        hidden = f"{{ local: {_PLACE}*; }};"
        versions.write_text("".join(f"{each} {hidden}\n" for each in nodes), encoding="utf-8")
        link = ["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{name}"]
        link += [f"-Wl,--version-script={versions}", str(source), "-o", stand_in]
        return subprocess.run(link, check=False).returncode


def symbols(library: str) -> Iterator[Symbol]:
    """Yield the versioned symbols that a library defines."""
    command = ["objdump", "-T", library]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for flags, section, size, other, version, name in _SYMBOL.findall(listed):
        if section in ("*UND*", "*ABS*") or version == "Base":
            continue
        kind = "function" if "F" in flags or "i" in flags else "object"
        kind = "tls_object" if section in (".tbss", ".tdata") else kind
        yield Symbol(name, version, not other, kind, int(size, 16))


def older(found: Iterable[Symbol], limits: Mapping[str, Version]) -> list[Symbol]:
    """Return each symbol in its default version or, if that is too new, in the newest that is not."""
    kept: dict[str, Symbol] = {}
    for symbol in found:
        prefix, version = _split(symbol.version)
        if prefix.endswith("PRIVATE") or (prefix in limits and version > limits[prefix]):
            continue
        rival = kept.get(symbol.name)
        if not rival or (symbol.is_default, version) > (rival.is_default, _split(rival.version)[1]):
            kept[symbol.name] = symbol
    return list(kept.values())


def assembly(kept: Iterable[Symbol]) -> Iterator[str]:
    """Yield lines of assembler that define the symbols, all as defaults."""
    sections = {"function": ".text", "object": ".bss", "tls_object": '.section .tbss,"awT",@nobits'}
    for number, symbol in enumerate(kept):
        place = f"{_PLACE}{number}"
        yield sections[symbol.kind]
        yield f".globl {place}\n.type {place},@{symbol.kind}\n.size {place},{symbol.size}"
        yield f"{place}: .skip {1 if symbol.kind == 'function' else max(symbol.size, 1)}"
        yield f".symver {place},{symbol.name}@@{symbol.version}"


def _split(version: str) -> tuple[str, Version]:
    """Return the prefix and the numbers of a version such as GLIBC_2.28."""
    prefix, _, numbers = version.rpartition("_")
    if not re.fullmatch(r"[\d.]+", numbers):
        return version, ()
    return prefix, tuple(map(int, numbers.split(".")))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
