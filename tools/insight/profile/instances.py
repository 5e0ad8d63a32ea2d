"""Measure the copies of templates and inline functions, which every object that uses them contains."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.base.process import run

from .costs import TemplateCost

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
