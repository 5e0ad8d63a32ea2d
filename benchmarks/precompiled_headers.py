"""Compares compilations with precompiled headers and without them: CPU time, and whether the objects are equal.

    python benchmarks/precompiled_headers.py [--each 4] [--seed 1] [--docs docs/building.md] [--check]

It needs a configured build directory (`python setup.py build`) and GCC. It takes a few sources of each kind
and compiles each without and with, through the script that every build uses. A kind's time is the mean of
its sources times their number. Precompiling has a row of its own, with the number of sets of flags as that of
its sources.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from documents import marks_missing, put_table

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
MARK = "precompiled headers"
SCRIPT = ROOT / "cmake/Modules/canonical_command.sh"
ENOUGH = int(
    re.findall(r"^enough=(\d+)", SCRIPT.with_name("precompiled_headers.sh").read_text(), re.M)[0]
)
"""Compilations with the same flags after which the script precompiles for them."""


@dataclass(frozen=True)
class Source:
    """A C++ source with the command that compiles it, without launchers and outputs."""

    command: tuple[str, ...]
    file: str


class Folder:
    """A build directory that holds only objects and what was precompiled for them."""

    def __init__(self, root: Path, *launcher: str) -> None:
        self.root, self.launcher = root, launcher
        root.mkdir()
        (root / "empty.cpp").touch()

    def compile(self, source: Source, file: str = "") -> float:
        """Return the CPU seconds of a compilation, or of one with the same flags of another file."""
        words = ["sh", SCRIPT, ROOT, self.root, *self.launcher, *source.command, "-o", "unit.o"]
        process = subprocess.Popen([*words, "-c", file or source.file], cwd=self.root)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"this command failed: {shlex.join(map(str, words))}")
        return usage.ru_utime + usage.ru_stime

    def precompile(self, source: Source) -> float:
        """Return the CPU seconds of precompiling for the flags of a source, 0 if that was done."""
        made = self.root / "CMakeFiles/precompiled"
        before = {*made.glob("*.gch")}
        seconds = [self.compile(source, str(self.root / "empty.cpp")) for _ in range(ENOUGH)]
        return max(seconds) if {*made.glob("*.gch")} != before else 0.0

    def object(self) -> bytes:
        return (self.root / "unit.o").read_bytes()


@dataclass
class Row:
    """One line of the table: the number of sources of a kind and their mean CPU seconds."""

    kind: str
    sources: int
    without: float
    precompiled: float
    equal: bool = True

    @property
    def cells(self) -> list[str]:
        share = f"{self.precompiled / self.without:.2f}" if self.without else ""
        times = (f"{self.sources * time:.0f} s" for time in (self.without, self.precompiled))
        return [self.kind, str(self.sources), *times, share, "yes" if self.equal else "no"]


def sources_by_kind() -> dict[str, list[Source]]:
    """Return the sources of the libraries: kernels by their capability, others by their folder."""
    found: dict[str, list[Source]] = defaultdict(list)
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        command, file = entry["command"], Path(entry["file"])
        if file.suffix != ".cpp" or " -fPIE " in command:
            continue
        if capability := re.search(r"-DCPU_CAPABILITY=(\w+)", command):
            kind = f"kernels for {capability[1]}"
        elif file.is_relative_to(BUILD):
            kind = "generated"
        else:
            kind = f"other sources of `{file.relative_to(ROOT).parts[0]}`"
        words = shlex.split(re.sub(r" -o \S+ -c \S+", "", command))
        start = next(i for i, word in enumerate(words) if re.search(r"\+\+(-\d+)?$", word))
        found[kind].append(Source(tuple(words[start:]), str(file)))
    return found


def measure(each: int, seed: int, root: Path) -> list[Row]:
    kinds = sources_by_kind()
    # Nothing is precompiled for a compiler with a launcher.
    plain, precompiled = Folder(root / "plain", "env"), Folder(root / "precompiled")
    choose = random.Random(seed)
    rows, made = [], []
    for kind, sources in sorted(kinds.items()):
        chosen = choose.sample(sources, min(each, len(sources)))
        row = Row(kind, len(sources), 0.0, 0.0)
        for source in chosen:
            made.append(precompiled.precompile(source))
            row.without += plain.compile(source) / len(chosen)
            row.precompiled += precompiled.compile(source) / len(chosen)
            row.equal = row.equal and plain.object() == precompiled.object()
        rows.append(row)
        print(*row.cells, sep="  ", flush=True)
    made = [seconds for seconds in made if seconds]
    rows.append(Row("precompiling", len(made), 0.0, sum(made) / max(1, len(made))))
    without, with_them = (
        sum(row.sources * getattr(row, name) for row in rows) for name in ("without", "precompiled")
    )
    files = sum(row.sources for row in rows[:-1])
    total = Row("**all**", files, without / files, with_them / files, all(r.equal for r in rows))
    return [*rows, total]


def table(rows: Sequence[Row]) -> str:
    head = ["sources", "number", "without", "precompiled", "ratio", "the same objects"]
    lines = [head, ["---", *["---:"] * 4, "---"], *(row.cells for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Measure and print; with --check, return 1 if an object differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--each", type=int, default=4, help="sources of each kind (default 4)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sources")
    parser.add_argument("--docs", type=Path, help="insert the table into this file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if an object differs")
    options = parser.parse_args()
    if not (BUILD / "compile_commands.json").exists():
        sys.exit("build/compile_commands.json is missing; run `python setup.py build` first")
    if options.docs and marks_missing(options.docs.read_text(), [MARK]):
        sys.exit(f"{options.docs} has no markers for the table {MARK}")
    with tempfile.TemporaryDirectory(prefix="precompiled-headers-") as folder:
        rows = measure(options.each, options.seed, Path(folder))
    print(table(rows))
    if options.docs:
        options.docs.write_text(put_table(options.docs.read_text(), MARK, table(rows)))
    return 1 if options.check and not rows[-1].equal else 0


if __name__ == "__main__":
    sys.exit(main())
