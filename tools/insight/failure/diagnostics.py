"""Parse the diagnostics of compilers, linkers, CMake and Python into one form, grouped by file."""

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
# nvcc's front end: `k.cu(3): error: text`, with `#177-D` if the diagnostic has a number.
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): "
    r"(?P<severity>catastrophic error|error|warning|remark|note)(?: #[\w-]+)?: (?P<text>.*)$"
)
# GNU ld: a source file if it knows one, then a line or a section.
_LINKER = re.compile(
    r"^(?:\S*\bld(?:\.\w+)?: )?(?:(?P<file>[^\s:(][^:]*):)?(?:(?P<line>\d+):|\([^)]*\):) "
    r"(?P<text>(?:undefined reference to|multiple definition of|relocation ).*)$"
)
# gold: `a.o:a.cpp:function f: error: text`.
_GOLD = re.compile(
    r"^\S+\.o:(?P<file>[^\s:]+):(?:(?P<line>\d+)|function .+?): error: (?P<text>.*)$"
)
# The programs that nvcc runs pad the severity: `ptxas k.ptx, line 23; error   : text`.
_NVIDIA = re.compile(
    r"^(?P<tool>nvcc|ptxas|nvlink|fatbinary)(?: (?P<file>[^,]+), line (?P<line>\d+);)? +"
    r"(?P<severity>fatal|error|warning) *: (?P<text>.*)$"
)
# The text follows on the same line or indented below, then the call stack.
_CMAKE = re.compile(
    r"^CMake (?P<severity>Error|Warning)(?: (?:at|in) (?P<file>[^:]+)(?::(?P<line>\d+))?)?"
    r"(?: \([^)]*\))?:\s*(?P<text>.*)$"
)
_CMAKE_CALLER = re.compile(r"^  (?P<file>[^/:\s][^:]*):(?P<line>\d+) \(")
# Any program: its name, a severity, or both.
_TOOL = re.compile(
    r"^(?:(?:\S*/)?(?P<tool>[\w.+-]+?): )?"
    r"(?:(?P<severity>[Ff]atal error|fatal|error|warning|internal compiler error): )?(?P<text>.+)$"
)
_LINKERS = re.compile(r"^(?:ld|mold|collect2|ld\.\w+)$")
# Closing lines that add nothing to the diagnostics before them.
_AFTERMATH = re.compile(r"ld returned \d|linker command failed|use the --help option")
_WARNING = re.compile(r"(?:^|: )warning: ")
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+)')
# Lines that introduce or follow a diagnostic; they are only in the log.
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
    """One message; `file` is empty when the message is not about a file."""

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0
    excerpt: tuple[str, ...] = ()
    """The source line and its markers, as the compiler printed them."""
    notes: int = 0
    """Number of notes that belong to the message."""

    @property
    def serious(self) -> bool:
        return self.severity in _SERIOUS


def read_diagnostics(lines: Sequence[str]) -> list[Diagnostic]:
    """Return all errors and warnings in order; notes are counted with the message they explain."""
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
    """Return the diagnostic that starts at a line, if any, and the position after it."""
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
        return _tool_message(match, lines, position)
    return None, position + 1


def _located(match: re.Match[str], lines: Sequence[str], position: int) -> tuple[Diagnostic, int]:
    end = position + 1
    while end < len(lines) and _EXCERPT.match(lines[end]):
        end += 1
    if end == position + 1 and end + 1 < len(lines) and _MARKS.match(lines[end + 1]):
        end += 2  # nvcc and older Clang: the bare source line, then the markers
    column = int(match.groupdict().get("column") or 0)
    excerpt = tuple(dedent("\n".join(lines[position + 1 : end][:2])).splitlines())
    where = match["file"], int(match["line"]), column
    return Diagnostic(_severity(match), match["text"], *where, excerpt), end


def _severity(match: re.Match[str]) -> str:
    """Normalise the severity: some tools capitalise it, some abbreviate it."""
    severity = match["severity"].lower()
    return "fatal error" if severity == "fatal" else severity


def _tool_message(
    match: re.Match[str], lines: Sequence[str], position: int
) -> tuple[Diagnostic | None, int]:
    """Parse a message of a linker or driver; lld and mold name the referring files in `>>>` lines."""
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
    details = []
    while end < len(lines) and (lines[end].startswith("  ") or not lines[end].strip()):
        details.append(lines[end].strip())
        end += 1
    text, *rest = [line for line in (match["text"], *details) if line] or [match[0]]
    where = match["file"] or "", int(match["line"] or 0)
    if where[0].startswith("/") and end < len(lines) and lines[end].startswith("Call Stack"):
        where = _cmake_caller(lines[end + 1 :]) or where
    return Diagnostic(match["severity"].lower(), text, *where, excerpt=tuple(rest[:12])), end


def _cmake_caller(stack: Sequence[str]) -> tuple[str, int] | None:
    """Return the line of the project that called the failing CMake module."""
    for line in takewhile(lambda line: line.startswith("  "), stack):
        if match := _CMAKE_CALLER.match(line):
            return match["file"], int(match["line"])
    return None


def _traceback(lines: Sequence[str], position: int) -> tuple[Diagnostic, int]:
    """Return the exception, located at the innermost frame."""
    end = position + 1
    file, number = "", 0
    while end < len(lines) and lines[end].startswith(" "):
        if frame := _FRAME.match(lines[end]):
            file, number = frame["file"], int(frame["line"])
        end += 1
    text = lines[end] if end < len(lines) else "the traceback is cut off"
    return Diagnostic("error", text, file, number), end + 1


def by_file(diagnostics: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """Group errors by file, in order of first appearance; group warnings if there are no errors."""
    found = list(diagnostics)
    serious = [d for d in found if d.serious] or found
    groups: dict[str, list[Diagnostic]] = {}
    for diagnostic in serious:
        groups.setdefault(diagnostic.file, []).append(diagnostic)
    return groups
