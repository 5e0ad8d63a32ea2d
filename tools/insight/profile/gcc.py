"""Profile with GCC: `-ftime-report` for phases, `-H` for the tree of includes.

GCC does not report the cost of a header. Headers that sources include directly are compiled alone and
timed, the likely most expensive ones first: those with the most bytes (including everything they
include) in the most files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.base.process import run

from .compile_commands import CompileCommand
from .costs import GENERATE, INSTANTIATE, PARSE, FileCost

# GCC's time variables that do not overlap.
_PHASES = {
    "phase parsing": PARSE,
    "phase lang. deferred": INSTANTIATE,
    "phase opt and generate": GENERATE,
}
_ROW = re.compile(r"^\s*\|?(?P<name>[^:]+?)\s*:\s*(?P<numbers>[\d. ()%kMG]+)$")
_SHARE = re.compile(r"\([^)]*\)")
_CLOCKS = ("usr", "sys", "wall")
_INCLUDED = re.compile(r"^(?P<depth>\.+) (?P<path>.+)$")


def parse_time_report(text: str) -> dict[str, float]:
    """Parse time variable -> CPU seconds, or wall seconds if this GCC reports only those."""
    columns: list[str] = []
    seconds = {}
    for line in text.splitlines():
        if line.lstrip().startswith("Time variable"):
            columns = line.split()[2:]
        elif columns and (row := _ROW.match(line)):
            numbers = _SHARE.sub(" ", row["numbers"]).split()
            spent = {c: float(n) for c, n in zip(columns, numbers, strict=False) if c in _CLOCKS}
            processor = [spent[clock] for clock in ("usr", "sys") if clock in spent]
            seconds[row["name"]] = sum(processor) if processor else spent.get("wall", 0.0)
    return seconds


def profile_file(command: CompileCommand, scratch: Path) -> tuple[FileCost, list[tuple[int, str]]]:
    """Compile a file again; also return its includes in order, each with its depth."""
    line = command.line("-ftime-report", "-H", "-c", "-o", str(scratch / "object.o"))
    text = run(line, cwd=command.folder).output
    times = parse_time_report(text)
    phases = {phase: times[name] for name, phase in _PHASES.items() if times.get(name)}
    return FileCost(command.output, times.get("TOTAL", 0.0), phases), list(_includes(text))


def _includes(text: str) -> Iterator[tuple[int, str]]:
    for line in text.splitlines():
        if match := _INCLUDED.match(line):
            yield len(match["depth"]), match["path"]


def bytes_through(includes: Iterable[tuple[int, str]], folder: Path) -> dict[str, int]:
    """Return directly included header -> its bytes plus those of everything it includes."""
    through: defaultdict[str, int] = defaultdict(int)
    current = ""
    for depth, path in includes:
        current = path if depth == 1 else current
        through[current] += (folder / path).stat().st_size
    return dict(through)


def parse_alone(header: str, command: CompileCommand) -> float | None:
    """Time a header, with the flags of a file that includes it; None if it does not compile alone."""
    language = "c" if command.source.suffix == ".c" else "c++"
    alone = ("-fsyntax-only", "-ftime-report", "-include", header, "-x", language)
    finished = run(command.line(*alone, source="/dev/null"), cwd=command.folder)
    return None if finished.code else parse_time_report(finished.output).get("TOTAL", 0.0)
