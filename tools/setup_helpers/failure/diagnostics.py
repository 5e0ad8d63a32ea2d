"""The diagnostics of compilers, linkers, CMake and Python, in one form and grouped by file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from textwrap import dedent

# GCC, Clang and the assemblers.
_GNU = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<severity>fatal error|[Ee]rror|[Ww]arning|note|internal compiler error): (?P<text>.*)$"
)
# nvcc's front end: `k.cu(3): error: text`, with `#177-D` where it has a number.
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): "
    r"(?P<severity>catastrophic error|error|warning|remark|note)(?: #[\w-]+)?: (?P<text>.*)$"
)
# GNU ld: a source where it knows one, then a line or a section.
_LINKER = re.compile(
    r"^(?:\S*\bld(?:\.\w+)?: )?(?:(?P<file>[^\s:(][^:]*):)?(?:(?P<line>\d+):|\([^)]*\):) "
    r"(?P<text>(?:undefined reference to|multiple definition of|relocation ).*)$"
)
# gold: `a.o:a.cpp:function f: error: text`.
_GOLD = re.compile(
    r"^\S+\.o:(?P<file>[^\s:]+):(?:(?P<line>\d+)|function .+?): error: (?P<text>.*)$"
)
# The programs behind nvcc, which pad the severity: `ptxas k.ptx, line 23; error   : text`.
_NVIDIA = re.compile(
    r"^(?P<tool>nvcc|ptxas|nvlink|fatbinary)(?: (?P<file>[^,]+), line (?P<line>\d+);)? +"
    r"(?P<severity>fatal|error|warning) *: (?P<text>.*)$"
)
# The text follows in the same line, or indented below; then the stack of calls.
_CMAKE = re.compile(
    r"^CMake (?P<severity>Error|Warning)(?: (?:at|in) (?P<file>[^:]+)(?::(?P<line>\d+))?)?"
    r"(?: \([^)]*\))?:\s*(?P<text>.*)$"
)
_CMAKE_CALLER = re.compile(r"^  (?P<file>[^/:\s][^:]*):(?P<line>\d+) \(")
# Any program: its name, a severity or both.
_TOOL = re.compile(
    r"^(?:(?:\S*/)?(?P<tool>[\w.+-]+?): )?"
    r"(?:(?P<severity>[Ff]atal error|fatal|error|warning|internal compiler error): )?(?P<text>.+)$"
)
_LINKERS = re.compile(r"^(?:ld|mold|collect2|ld\.\w+)$")
# What a tool adds when it has said all.
_AFTERMATH = re.compile(r"ld returned \d|linker command failed|use the --help option")
_WARNING = re.compile(r"(?:^|: )warning: ")
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+)')
# What leads to a diagnostic and what follows from it; the log has them.
_CONTEXT = re.compile(
    r"^(In file included from|\s+from )|: (In |in )(?:(?:static |member |lambda )?(?:function|"
    r"instantiation|constructor|substitution|definition))|: At (global|top) |required (from|by)|"
    r"Assembler messages:$|"
    r"^compilation terminated|^\s*\d+ (errors?|warnings?) generated"
)
_EXCERPT = re.compile(r"^\s*\d* \|")
_MARKS = re.compile(r"^\s*[~^][~^ ]*$")
_SERIOUS = frozenset(("error", "fatal error", "catastrophic error", "internal compiler error"))


@dataclass(frozen=True)
class Diagnostic:
    """One message; `file` is empty when a tool complains of no file."""

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0
    excerpt: tuple[str, ...] = ()
    """The source line and its marks, as the compiler printed them."""
    notes: int = 0
    """How many notes belong to it."""

    @property
    def serious(self) -> bool:
        return self.severity in _SERIOUS


def read_diagnostics(lines: Sequence[str]) -> list[Diagnostic]:
    """Every error and warning in order; notes are counted with what they explain."""
    found: list[Diagnostic] = []
    position = 0
    while position < len(lines):
        diagnostic, position = _next(lines, position)
        if diagnostic is None:
            continue
        if diagnostic.severity == "note":
            if found:
                found[-1] = replace(found[-1], notes=found[-1].notes + 1)
        elif not found or diagnostic != found[-1]:
            found.append(diagnostic)
    return found


def _next(lines: Sequence[str], position: int) -> tuple[Diagnostic | None, int]:
    """The diagnostic that begins at a line, if one does, and the line after it."""
    line = lines[position]
    if line == _TRACEBACK:
        return _traceback(lines, position)
    if match := _CMAKE.match(line):
        return _cmake(match, lines, position)
    if _CONTEXT.search(line):
        return None, position + 1
    if match := _GNU.match(line) or _NVCC.match(line):
        return _located(match, lines, position)
    if match := _LINKER.match(line) or _GOLD.match(line):
        where = match["file"] or "", int(match["line"] or 0)
        return Diagnostic("error", match["text"], *where), position + 1
    if match := _NVIDIA.match(line):
        where = match["file"] or "", int(match["line"] or 0)
        text = f"{match['tool']}: {match['text']}"
        return Diagnostic(_severity(match), text, *where), position + 1
    if match := _TOOL.match(line):
        return _of_tool(match, lines, position)
    return None, position + 1


def _located(match: re.Match[str], lines: Sequence[str], position: int) -> tuple[Diagnostic, int]:
    end = position + 1
    while end < len(lines) and _EXCERPT.match(lines[end]):
        end += 1
    if end == position + 1 and end + 1 < len(lines) and _MARKS.match(lines[end + 1]):
        end += 2  # nvcc and older Clang: the source line alone, then the marks
    column = int(match.groupdict().get("column") or 0)
    excerpt = tuple(dedent("\n".join(lines[position + 1 : end][:2])).splitlines())
    where = match["file"], int(match["line"]), column
    return Diagnostic(_severity(match), match["text"], *where, excerpt), end


def _severity(match: re.Match[str]) -> str:
    """In one spelling: some tools begin with a capital, some are brief."""
    severity = match["severity"].lower()
    return "fatal error" if severity == "fatal" else severity


def _of_tool(
    match: re.Match[str], lines: Sequence[str], position: int
) -> tuple[Diagnostic | None, int]:
    """A linker's or driver's own complaint; `>>>` lines of lld and mold say who asked."""
    tool = match["tool"] or ""
    if not match["severity"] and not _LINKERS.match(tool):
        return None, position + 1
    if _AFTERMATH.match(match["text"]):
        return None, position + 1
    end = position + 1
    while end < len(lines) and lines[end].startswith(">>> "):
        end += 1
    excerpt = tuple(lines[position + 1 : end][:2])
    unnamed = "warning" if _WARNING.search(match["text"]) else "error"
    severity = _severity(match) if match["severity"] else unnamed
    text = f"{tool}: {match['text']}" if tool else match["text"]
    return Diagnostic(severity, text, excerpt=excerpt), end


def _cmake(match: re.Match[str], lines: Sequence[str], position: int) -> tuple[Diagnostic, int]:
    end = position + 1
    said = []
    while end < len(lines) and (lines[end].startswith("  ") or not lines[end].strip()):
        said.append(lines[end].strip())
        end += 1
    text, *rest = [line for line in (match["text"], *said) if line] or [match[0]]
    where = match["file"] or "", int(match["line"] or 0)
    if where[0].startswith("/") and end < len(lines) and lines[end].startswith("Call Stack"):
        where = _cmake_caller(lines[end + 1 :]) or where
    return Diagnostic(match["severity"].lower(), text, *where, excerpt=tuple(rest[:12])), end


def _cmake_caller(stack: Sequence[str]) -> tuple[str, int] | None:
    """Where the project asked for what went wrong in one of CMake's own modules."""
    for line in takewhile(lambda line: line.startswith("  "), stack):
        if match := _CMAKE_CALLER.match(line):
            return match["file"], int(match["line"])
    return None


def _traceback(lines: Sequence[str], position: int) -> tuple[Diagnostic, int]:
    """The exception, at the innermost frame."""
    end = position + 1
    file, number = "", 0
    while end < len(lines) and lines[end].startswith(" "):
        if frame := _FRAME.match(lines[end]):
            file, number = frame["file"], int(frame["line"])
        end += 1
    text = lines[end] if end < len(lines) else "the traceback is cut off"
    return Diagnostic("error", text, file, number), end + 1


def by_file(diagnostics: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """Errors under the file they are in, in the order of their first; warnings when there is no error."""
    found = list(diagnostics)
    serious = [d for d in found if d.serious] or found
    groups: dict[str, list[Diagnostic]] = {}
    for diagnostic in serious:
        groups.setdefault(diagnostic.file, []).append(diagnostic)
    return groups
