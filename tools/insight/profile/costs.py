"""The results of profiling, independent of the compiler, and the copies of templates in object files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.base.process import run

# The phases that both compilers distinguish.
PARSE, INSTANTIATE, GENERATE = "parse", "instantiate templates", "optimise and generate"


@dataclass(frozen=True)
class FileCost:
    """The cost of one source file, in seconds by phase."""

    output: str
    seconds: float
    phases: dict[str, float]


@dataclass(frozen=True)
class HeaderCost:
    """The cost of one header including everything it includes, so costs of headers overlap."""

    path: str
    seconds: float
    """Seconds to parse the header once."""
    files: int = 0
    """Number of source files that include the header, directly or indirectly."""

    @property
    def total(self) -> float:
        return self.seconds * self.files


@dataclass(frozen=True)
class TemplateCost:
    """The cost of all instances of one function template or inline function."""

    name: str
    copies: int
    """Number of instances, counted in each object that contains them."""
    bytes: int
    """Size of the machine code that the linker discards, because another object contains it too."""
    seconds: float = 0.0
    """Seconds to instantiate in the profiled files, if the compiler reports them."""


@dataclass
class Profile:
    """The profile of a tree."""

    compiler: str = ""
    files: list[FileCost] = field(default_factory=list)
    headers: list[HeaderCost] = field(default_factory=list)
    instantiations: dict[str, float] = field(default_factory=dict)
    """Template -> seconds over all profiled files; empty if the compiler does not report them."""
    templates: list[TemplateCost] = field(default_factory=list)


_OBJECTS_AT_ONCE = 100
_WEAK = ("W", "V")
# An operator is one word, so that its brackets do not count as brackets.
_WORD = re.compile(r"operator(?:<=>|<<=|>>=|<<|>>|->\*|->|<=|>=|<|>|\(\))|.", re.DOTALL)
_LAMBDA = re.compile(r"\{lambda#\d+\}")
_SPECIAL = re.compile(r"(?:vtable|typeinfo|typeinfo name|guard variable|VTT|TLS \w+ function) for ")


def copies_of_templates(nm: str, objects: Sequence[Path]) -> dict[str, TemplateCost]:
    """Return name without arguments -> cost, for templates with copies in several objects."""
    symbols: defaultdict[str, list[int]] = defaultdict(list)
    for start in range(0, len(objects), _OBJECTS_AT_ONCE):
        some = [str(path) for path in objects[start : start + _OBJECTS_AT_ONCE]]
        listed = run([nm, "-P", "-S", "-C", "--defined-only", *some])
        for name, size in weak_symbols(listed.output.splitlines()):
            symbols[name].append(size)
    return sum_up(symbols.items())


def weak_symbols(lines: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Parse `nm -P -S`: name (which may contain spaces when demangled), kind, address, size."""
    for line in lines:
        name, *fields = line.rsplit(" ", 3)
        if len(fields) == 3 and fields[0] in _WEAK:
            yield name, int(fields[2], 16)


def sum_up(symbols: Iterable[tuple[str, Sequence[int]]]) -> dict[str, TemplateCost]:
    """Sum up the sizes of each symbol in all objects; the linker keeps one copy of each."""
    copies: defaultdict[str, int] = defaultdict(int)
    thrown_away: defaultdict[str, int] = defaultdict(int)
    for symbol, sizes in symbols:
        name = without_arguments(symbol)
        copies[name] += len(sizes)
        thrown_away[name] += sum(sizes) - max(sizes)
    return {
        name: TemplateCost(name, copies[name], thrown)
        for name, thrown in thrown_away.items()
        if thrown
    }


def without_arguments(symbol: str) -> str:
    """Shorten `void f<int>(std::vector<int>) const` to `f<>`."""
    named = symbol.replace("(anonymous namespace)", "anonymous").removesuffix(" const")
    kept: list[str] = []
    depth = 0
    for word in _WORD.findall(named):
        depth -= word in (")", ">")
        if depth == 0 and word not in ("(", ")"):
            kept.append(word)
        depth += word in ("(", "<")
    name = _LAMBDA.sub("lambda", "".join(kept)).replace(" const", "").replace(" <>", "<>")
    return name if _SPECIAL.match(name) else name.split(" ")[-1]
